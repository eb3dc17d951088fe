import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream';

/** One request of an agent and how the gateway answered. */
export interface Visit {
  readonly method: string;
  readonly path: string;
  readonly requestBytes: number;
  readonly status: number;
  readonly requestId: string;
  readonly dropped: string;
  readonly request: string;
  readonly answer: string;
}

/** Stands between agents and gateway, changes nothing and notes who came, also what no call log sees. */
export interface Doorman {
  readonly url: string;
  /** What came since this was last asked. */
  take(): readonly Visit[];
  close(): Promise<void>;
}

const VISITS_MAX = 1_000;
const KEPT_BYTES_MAX = 1024 * 1024;

export async function startDoorman(gateway: string): Promise<Doorman> {
  let visits: Visit[] = [];
  const note = (visit: Visit): void => {
    if (visits.length < VISITS_MAX) visits.push(visit);
  };
  const server = createServer((incoming, outgoing) => letThrough(gateway, incoming, outgoing, note));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    take: () => {
      const taken = visits;
      visits = [];
      return taken;
    },
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

function letThrough(
  gateway: string,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  note: (visit: Visit) => void,
): void {
  const asked = keep(incoming);
  const { method = '', url: path = '', rawHeaders } = incoming;
  const onward = request(gateway + path, { method, headers: rawHeaders });
  onward.on('response', (answer) => {
    const said = keep(answer);
    outgoing.writeHead(answer.statusCode ?? 0, answer.rawHeaders);
    pipeline(answer, outgoing, () => {
      note({
        method,
        path,
        requestBytes: asked().bytes,
        status: answer.statusCode ?? 0,
        requestId: String(answer.headers['x-request-id'] ?? ''),
        dropped: String(answer.headers['x-tollgate-dropped'] ?? ''),
        request: asked().text,
        answer: said().text,
      });
    });
  });
  onward.on('error', () => outgoing.destroy());
  pipeline(incoming, onward, () => undefined);
}

function keep(message: IncomingMessage): () => { readonly bytes: number; readonly text: string } {
  const chunks: Buffer[] = [];
  let bytes = 0;
  message.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes <= KEPT_BYTES_MAX) chunks.push(chunk);
  });
  return () => ({ bytes, text: Buffer.concat(chunks).toString() });
}
