import { expect } from 'vitest';
import type { TruthCall } from '../../../sim/truth.ts';
import { askOf, BOTH, type Cell, type Scenario } from '../cell.ts';
import type { Upstream } from '../upstream.ts';
import { listenToFailure, loggedCall } from '../world.ts';

/**
 * Some milliseconds, or the seconds in which the vendor's own usage is awaited (rule M-10); more on a busy
 * machine, and less than the vendor would take without it.
 */
const ABORT_MS = 15_000;
const VENDOR_MS = 30_000;

const abort: Scenario = {
  name: 'abort',
  meaning: 'the vendor hears that the user left, at once or after 5 s, and what it made is charged',
  modes: BOTH,
  run: async (cell) => {
    if (cell.mode === 'plain') return abortPlain(cell);
    const { world, client, tag } = cell;
    const controller = new AbortController();
    const ask = askOf(cell, { words: 'tokens=3000 pace=10', signal: controller.signal });
    let leftAtMs = 0;
    const onText = (): void => {
      if (leftAtMs === 0) leftAtMs = Date.now();
      controller.abort();
    };
    const { heard } = await listenToFailure(() => client.ask({ ...ask, onText }, 'streamed'));
    const truth = await ended(cell, tag);
    expectAborted(truth, leftAtMs);
    const row = await loggedCall(world, heard.callId);
    expect(row).toMatchObject({ verdict: 'cut-by-client', protocol_out: cell.upstream });
    expect(row.amount_micro).toBeGreaterThan(0n);
    expect(Number(row.output_text)).toBeGreaterThan(0);
    expect(Number(row.output_text)).toBeLessThanOrEqual(truth.outputTokens);
  },
};

/** Nothing was answered yet, so that nobody knows the call's id; the vendor hears of it all the same. */
async function abortPlain(cell: Cell): Promise<void> {
  const controller = new AbortController();
  const ask = askOf(cell, { words: `delay=${VENDOR_MS}`, signal: controller.signal });
  const failing = listenToFailure(() => cell.client.ask(ask, 'plain'));
  await until(() => cell.world.simulator.truth.find(cell.tag) !== undefined);
  const leftAtMs = Date.now();
  controller.abort();
  await failing;
  expectAborted(await ended(cell, cell.tag), leftAtMs);
}

function expectAborted({ finished, endedAtMs }: TruthCall, leftAtMs: number): void {
  expect(finished).toBe('aborted-by-client');
  expect((endedAtMs ?? Number.POSITIVE_INFINITY) - leftAtMs).toBeLessThan(ABORT_MS);
}

async function ended({ world }: Cell, tag: string): Promise<TruthCall> {
  await until(() => (world.simulator.truth.find(tag)?.finished ?? 'running') !== 'running');
  const truth = world.simulator.truth.find(tag);
  if (truth === undefined) throw new Error('the vendor was not asked');
  return truth;
}

async function until(holds: () => boolean): Promise<void> {
  for (let tries = 0; tries < VENDOR_MS / 20; tries++) {
    if (holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error('it did not happen in time');
}

/** A reset, an end without a terminator, and an error in place of the next event. */
const CUTS = ['reset@12', 'end@12', 'error-event@12'];

const cut: Scenario = {
  name: 'upstream cut',
  meaning:
    'a stream that breaks, ends early or turns into an error raises in the SDK; nothing looks finished',
  modes: ['streamed'],
  run: async (cell) => {
    const { world, client, tag } = cell;
    for (const fault of CUTS) {
      const name = `${tag}-${fault.replaceAll('@', '')}`;
      let pieces = 0;
      const ask = askOf(cell, { words: `tokens=60 fault=${fault}`, tag: name });
      const onText = (): void => void pieces++;
      const { error, heard } = await listenToFailure(() => client.ask({ ...ask, onText }, 'streamed'));
      expect(error).toBeInstanceOf(Error);
      expect(pieces).toBeGreaterThan(0);
      const row = await loggedCall(world, heard.callId);
      expect(row).toMatchObject({ verdict: 'cut-by-upstream' });
      expect(row.amount_micro).toBeGreaterThan(0n);
    }
  },
};

const STATUS = 422;

/** As the vendor writes it, with white space that no parser would keep. */
function errorBody(upstream: Upstream, message: string): string {
  const text = JSON.stringify(message);
  switch (upstream) {
    case 'messages':
      return `{"type": "error",  "error":{"type":"invalid_request_error","message":${text}}}`;
    case 'gemini':
      return `{ "error": {"code":${STATUS},  "message":${text},"status":"INVALID_ARGUMENT"}}`;
    default:
      return `{ "error": {"message":${text},  "type":"odd","param":null,"code":null}}`;
  }
}

const upstreamError: Scenario = {
  name: 'upstream error',
  meaning: 'status and body of the vendor, byte for byte, raised by the SDK',
  modes: BOTH,
  run: async (cell) => {
    const { world, client, mode, tag } = cell;
    const body = errorBody(cell.upstream, `no ${tag} today`);
    world.simulator.script({ match: { tag }, answer: { status: STATUS, body } });
    const { error, heard } = await listenToFailure(() => client.ask(askOf(cell, {}), mode));
    expect(heard).toMatchObject({ status: STATUS, errorBody: body });
    expect(client.statusOf(error)).toBe(STATUS);
    // A provider of the AI SDK shows a body that it cannot read as it came.
    const { message, responseBody = '' } = error as Error & { readonly responseBody?: string };
    expect(message + responseBody).toContain(`no ${tag} today`);
    expect(await loggedCall(world, heard.callId)).toMatchObject({ verdict: 'failed', amount_micro: 0n });
  },
};

export const BROKEN: readonly Scenario[] = [abort, cut, upstreamError];
