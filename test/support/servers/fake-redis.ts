import { createServer, type Socket } from 'node:net';

export interface FakeRedis {
  readonly port: number;
  readonly url: string;
  close(): void;
}

/** The whole answer in RESP, or nothing: then whoever asked waits. */
export type Answer = (words: readonly string[]) => string | undefined;

export const bulk = (text: string): string => `$${Buffer.byteLength(text)}\r\n${text}\r\n`;

/** As much of a Redis as a client needs to be ready; `info` is what INFO says. */
export function greet([first = '', second = '']: readonly string[], info: string): string | undefined {
  switch (first.toLowerCase()) {
    case 'hello':
      return `%1\r\n${bulk('server')}${bulk('redis')}`;
    case 'client':
      return '+OK\r\n';
    case 'ping':
      return '+PONG\r\n';
    case 'info':
      return bulk(info);
    case 'cluster':
      return second.toLowerCase() === 'info' ? bulk('cluster_state:ok\r\n') : undefined;
    default:
      return undefined;
  }
}

export function asksForSlots([first = '', second = '']: readonly string[]): boolean {
  return first.toLowerCase() === 'cluster' && second.toLowerCase() === 'slots';
}

/** What CLUSTER SLOTS says of nodes that share the slots; `last` is the last slot of each. */
export function slotsOf(nodes: ReadonlyArray<{ readonly port: number; readonly last: number }>): string {
  const rows = nodes.map(({ port, last }, index) => {
    const from = (nodes[index - 1]?.last ?? -1) + 1;
    return `*3\r\n:${from}\r\n:${last}\r\n*2\r\n${bulk('127.0.0.1')}:${port}\r\n`;
  });
  return `*${nodes.length}\r\n${rows.join('')}`;
}

/** A Redis that says what no real one can be brought to say at the right moment. */
export async function startFakeRedis(answer: Answer): Promise<FakeRedis> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    let pending = '';
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    socket.setEncoding('latin1').on('data', (text: string) => {
      pending += text;
      for (let command = readCommand(pending); command !== undefined; command = readCommand(pending)) {
        pending = command.rest;
        const said = answer(command.words);
        if (said !== undefined) socket.write(said);
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  const close = (): void => {
    for (const socket of sockets) socket.destroy();
    server.close();
  };
  return { port, url: `redis://127.0.0.1:${port}`, close };
}

function readCommand(text: string): { readonly words: readonly string[]; readonly rest: string } | undefined {
  const head = /^\*(\d+)\r\n/.exec(text);
  if (head === null) return undefined;
  const words: string[] = [];
  let at = head[0].length;
  for (let left = Number(head[1]); left > 0; left--) {
    const size = /^\$(\d+)\r\n/.exec(text.slice(at, at + 16));
    if (size === null) return undefined;
    const from = at + size[0].length;
    const to = from + Number(size[1]);
    if (text.length < to + 2) return undefined;
    words.push(text.slice(from, to));
    at = to + 2;
  }
  return { words, rest: text.slice(at) };
}
