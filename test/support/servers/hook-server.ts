import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A webhook as it arrived. */
export interface ArrivedHook {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A receiver of webhooks that keeps what it is given. */
export interface HookServer {
  /** `127.0.0.1:12345`, for `TOLLGATE_WEBHOOK_HOSTS`. */
  readonly host: string;
  readonly url: string;
  readonly arrived: ArrivedHook[];
  /** The status that a path answers. Without one: 204. */
  readonly answers: Map<string, number>;
  close(): Promise<void>;
}

export async function startHookServer(): Promise<HookServer> {
  const arrived: ArrivedHook[] = [];
  const answers = new Map<string, number>();
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => {
      body += text;
    });
    request.on('end', () => {
      const path = request.url ?? '';
      arrived.push({ path, headers: request.headers, body });
      response.writeHead(answers.get(path) ?? 204).end();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    ...{ host, url: `http://${host}`, arrived, answers },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
