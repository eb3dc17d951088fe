/**
 * The yardstick: the least that a gateway in Node can be. node:http in front, undici's `dispatch` behind,
 * bytes passed on as they come, with back-pressure and nothing else: no keys, no limits, no books.
 * Arguments: own port, upstream port.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type Dispatcher, Pool } from 'undici';

const [port = 0, upstreamPort = 0] = process.argv.slice(2).map(Number);
const pool = new Pool(`http://127.0.0.1:${upstreamPort}`, { pipelining: 1, keepAliveTimeout: 60_000 });

class AttemptContext implements Dispatcher.DispatchHandler {
  readonly #response: ServerResponse;

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#response.on('close', () => {
      if (!this.#response.writableFinished) controller.abort(new Error('the client has gone'));
    });
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    const { connection: _hop, 'keep-alive': _hint, 'transfer-encoding': _framing, ...passed } = headers;
    this.#response.writeHead(status, passed);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#response.write(chunk)) return;
    controller.pause();
    this.#response.once('drain', () => controller.resume());
  }

  onResponseEnd(): void {
    this.#response.end();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (this.#response.headersSent) this.#response.destroy();
    else this.#response.writeHead(502).end(error.message);
  }
}

function passOn(request: IncomingMessage, response: ServerResponse, body: Buffer): void {
  const headers = {
    'content-type': request.headers['content-type'] ?? 'application/json',
    accept: request.headers.accept ?? '*/*',
    authorization: request.headers.authorization ?? '',
  };
  pool.dispatch({ path: request.url ?? '/', method: 'POST', headers, body }, new AttemptContext(response));
}

const server = createServer((request, response) => {
  if (request.method === 'GET') {
    response.end('ready');
    return;
  }
  const pieces: Buffer[] = [];
  request.on('data', (piece: Buffer) => pieces.push(piece));
  request.on('end', () => passOn(request, response, Buffer.concat(pieces)));
});
server.listen(port, '127.0.0.1');
process.once('SIGTERM', () => process.exit(0));
