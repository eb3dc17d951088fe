import type { Socket } from 'node:net';
import { dial, receive, requestBytes } from '../faults/wire.ts';
import { sleep } from '../support/processes.ts';
import type { World } from '../support/world.ts';

/** What a client saw: our code when it was refused by the gate. */
export interface Seen {
  readonly status: number;
  readonly code: number | undefined;
}

/** One of the ways in which a call can end (rule L-5), and how many of two thousand end so. */
export interface Way {
  /** Also the model: breakers and cool-downs of one way must not reach into another. */
  readonly name: string;
  readonly share: number;
  readonly directive: string;
  readonly form?: 'plain';
  /** The client's part. */
  readonly act: (socket: Socket, request: Buffer) => Promise<Seen>;
}

/** Short, but on a busy machine a healthy answer may take a second. */
export const LIMITS = {
  TOLLGATE_FIRST_BYTE_TIMEOUT_MS: '4000',
  TOLLGATE_IDLE_TIMEOUT_MS: '2000',
  TOLLGATE_CLIENT_STALL_MS: '500',
};

const GONE: Seen = { status: 0, code: undefined };
/** A client that stops reading keeps its socket for longer than the gateway keeps the call. */
const DEAF_MS = 3_000;

const read = async (socket: Socket, request: Buffer): Promise<Seen> => {
  socket.write(request);
  const { status, text } = await receive(socket);
  if (status === 200 || status === 0) return { status, code: undefined };
  const code = /"code":(\d{5})/.exec(text)?.[1];
  return { status, code: code === undefined ? undefined : Number(code) };
};

/** Leaves when so many pieces of text have come; a refusal is an answer too. */
function leaveAfter(pieces: number): Way['act'] {
  return (socket, request) =>
    new Promise((resolve) => {
      let text = '';
      const finish = (seen: Seen): void => {
        socket.destroy();
        resolve(seen);
      };
      socket.on('data', (chunk: Buffer) => {
        text += chunk.toString('latin1');
        const [, status, code] = /^HTTP\/1\.1 ([45]\d\d)[\s\S]*"code":"?(\d{5})/.exec(text) ?? [];
        if (status !== undefined) finish({ status: Number(status), code: Number(code) });
        else if ((text.match(/"content":"[^"]/g)?.length ?? 0) >= pieces) finish(GONE);
      });
      // Whatever else ends the answer ends the call.
      socket.on('end', () => finish(GONE));
      socket.on('close', () => finish(GONE));
      socket.write(request);
    });
}

function leaveAfterMs(ms: number): Way['act'] {
  return async (socket, request) => {
    socket.write(request);
    await sleep(ms);
    socket.destroy();
    return GONE;
  };
}

const leaveInBody: Way['act'] = async (socket, request) => {
  socket.write(request.subarray(0, request.length - 10));
  await sleep(30);
  socket.destroy();
  return GONE;
};

const stopReading: Way['act'] = async (socket, request) => {
  socket.pause();
  socket.write(request);
  await sleep(DEAF_MS);
  socket.destroy();
  return GONE;
};

const halfClose: Way['act'] = async (socket, request) => {
  const answer = read(socket, request);
  socket.end();
  return answer;
};

/** Thirteen of the fourteen; the death of the process needs a process. */
export const WAYS: readonly Way[] = [
  { name: 'ok', share: 408, directive: 'tokens=5', act: read },
  { name: 'refused-4xx', share: 240, directive: 'fault=status@400', act: read },
  { name: 'failed-5xx', share: 240, directive: 'fault=status@500', act: read },
  { name: 'left-in-body', share: 140, directive: 'tokens=5', act: leaveInBody },
  { name: 'left-before-head', share: 140, directive: 'tokens=5 delay=400', act: leaveAfterMs(100) },
  { name: 'left-at-first', share: 140, directive: 'tokens=200 pace=20', act: leaveAfter(1) },
  { name: 'left-midway', share: 140, directive: 'tokens=200 pace=5', act: leaveAfter(9) },
  { name: 'left-at-last', share: 140, directive: 'tokens=8 fault=stall@1000000', act: leaveAfter(8) },
  { name: 'vendor-stalls', share: 96, directive: 'tokens=20 fault=stall@3', act: read },
  { name: 'stops-reading', share: 8, directive: 'tokens=120000', act: stopReading },
  { name: 'half-closed', share: 140, directive: 'tokens=20 pace=5', act: halfClose },
  { name: 'encoder-throws', share: 120, directive: 'tokens=20 pace=5', act: read },
  { name: 'times-out', share: 48, directive: 'fault=no-headers', act: read },
];

export async function endOne(world: World, key: string, way: Way): Promise<Seen> {
  const socket = dial(world.url);
  socket.on('error', () => socket.destroy());
  const body = JSON.stringify({
    model: way.name,
    messages: [{ role: 'user', content: `[[sim ${way.directive}]]` }],
    max_completion_tokens: 128_000,
    stream: way.form !== 'plain',
  });
  const request = requestBytes({ path: '/v1/chat/completions', headers: world.headers(key), body });
  try {
    return await way.act(socket, request);
  } finally {
    socket.destroy();
  }
}

const ROUTE = '{ vendor: openai, credential: main, forward_model_id: gpt-5-2026-08-01, protocols: [chat] }';

/** As many slots as workers, and a model for each way; `slow` is for counting who runs at once. */
export function slotsCatalog(slots: number): string {
  const model = (name: string): string =>
    `  - { model_id: ${name}, prices: { input: "0", output: "1" }, max_output_tokens: 128000, ` +
    `routes: [${ROUTE}] }\n`;
  return `
defaults: { policy: 1, user_rate: 100, api_billing: true, auto_exchange: false }
vendors: [{ code: openai, name: OpenAI, protocols: [chat], base_url: "\${SIM}/v1" }]
credentials: [{ name: main, vendor: openai, secret: sk-sim-openai }]
models:
${[...WAYS.map(({ name }) => name), 'slow'].map(model).join('')}policies:
  - { id: 1, name: default, windows: [] }
  - { id: 2, name: slots, concurrency: ${slots}, windows: [] }
accounts: [{ email: user@example.com, password: "a test password", user_type: 1, credits: "50000000" }]
`;
}
