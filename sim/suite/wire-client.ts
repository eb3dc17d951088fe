import { request } from 'node:http';

/** What really came over the wire, for tests that look below the SDKs. */
export interface Received {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  readonly text: string;
  /** Chunks as they arrived. */
  readonly chunks: number;
  /** reset: an RST; cut: the end came without the end of the message; silent: nothing within the time. */
  readonly ending: 'complete' | 'reset' | 'cut' | 'silent';
}

export interface Posted {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  /** The client gives up after this long. */
  readonly patienceMs?: number;
}

const PATIENCE_MS = 20_000;

export function post(posted: Posted): Promise<Received> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let status = 0;
    let headers: Record<string, string> = {};
    const finish = (ending: Received['ending']): void => {
      clearTimeout(timer);
      const body = Buffer.concat(chunks);
      resolve({ status, headers, body, text: body.toString(), chunks: chunks.length, ending });
    };
    const outgoing = request(posted.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...posted.headers },
      agent: false,
    });
    const timer = setTimeout(() => {
      outgoing.destroy();
      finish('silent');
    }, posted.patienceMs ?? PATIENCE_MS);
    const fail = (error: NodeJS.ErrnoException): void =>
      finish(error.code === 'ECONNRESET' ? endOf(error) : 'cut');
    outgoing.on('error', fail);
    outgoing.on('response', (incoming) => {
      status = incoming.statusCode ?? 0;
      headers = Object.fromEntries(
        Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]),
      );
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('error', fail);
      incoming.on('end', () => finish('complete'));
    });
    outgoing.end(typeof posted.body === 'string' ? posted.body : JSON.stringify(posted.body));
  });
}

/** Node calls both ECONNRESET; only a real RST comes from the system. */
function endOf(error: NodeJS.ErrnoException): 'reset' | 'cut' {
  return error.syscall === 'read' ? 'reset' : 'cut';
}
