import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TruthCall } from '../../../sim/truth.ts';
import { until } from '../../support/processes.ts';
import type { World } from '../../support/world.ts';
import type { LoggedCall } from '../logged-call.ts';
import {
  asStream,
  type Call,
  CLIENTS,
  HELD_MS,
  leave,
  MODELS,
  OUTPUT_MAX,
  outputOf,
  startLeavingWorld,
  THOUGHTS,
  WORDS,
} from './leaving-world.ts';

let world: World;
beforeAll(async () => {
  world = await startLeavingWorld();
});
afterAll(() => world.close());

const LAST = THOUGHTS + WORDS;
const PAIRS = MODELS.flatMap((model) => Object.keys(CLIENTS).map((client) => [client, model] as const));
/** Google reports its figures with every chunk, unless it reports them late. */
const late = (model: string): string => (model === 'gemini' ? ' usage=late' : '');

const atLastWord: Call['when'] = (_seen, made) => (made?.outputTokens ?? 0) >= LAST;
const midThought: Call['when'] = (_seen, made) => (made?.reasoningTokens ?? 0) > 0;
const atWork: Call['when'] = (_seen, made) => made !== undefined;

/** A thousandth of a Credit for an input token in a hundred, ten for output: the prices of these models. */
const chargeMicro = (truth: TruthCall): bigint =>
  100_000n * BigInt(truth.inputTokens) + 1_000_000n * BigInt(truth.plannedOutputTokens);

function expectReported(row: LoggedCall, truth: TruthCall): void {
  expect(row).toMatchObject({
    verdict: 'cut-by-client',
    estimated: false,
    input_fresh: BigInt(truth.inputTokens),
    output_text: BigInt(WORDS),
    output_reasoning: BigInt(THOUGHTS),
    charge_micro: chargeMicro(truth),
  });
}

describe.concurrent('a client that leaves a model that reasons out of sight pays what the vendor reports', () => {
  it.each(PAIRS)('%s client, %s: on the last visible word of a quick vendor', async (client, model) => {
    const { row, truth } = await leave(world, {
      ...asStream(client, model),
      directive: `thinking=${THOUGHTS} tokens=${WORDS}${late(model)} fault=pause@${LAST}t:900`,
      when: atLastWord,
    });
    expectReported(row, truth);
  });

  it.each(PAIRS)('%s client, %s: while a slow vendor reasons', async (client, model) => {
    const { row, truth } = await leave(world, {
      ...asStream(client, model),
      directive: `thinking=${THOUGHTS} thinkms=1500 tokens=${WORDS}${late(model)}`,
      when: midThought,
    });
    expectReported(row, truth);
  });

  it.each([...MODELS])('a plain answer of %s, while the vendor is at work', async (model) => {
    const client = { 'gpt-chat': 'chat', 'gpt-responses': 'responses', claude: 'messages', gemini: 'gemini' };
    const name = client[model];
    const { row, truth } = await leave(world, {
      path: asStream(name, model).path.replace(':streamGenerateContent?alt=sse', ':generateContent'),
      body: (prompt) => ({
        ...CLIENTS[name]?.body(model, prompt),
        ...(name === 'gemini' ? {} : { stream: false }),
      }),
      directive: `thinking=${THOUGHTS} tokens=${WORDS} delay=900`,
      when: atWork,
    });
    expect(row.status).toBe(499);
    expectReported(row, truth);
  });
});

describe.concurrent('what was produced when the client left is charged', () => {
  const estimated = (row: LoggedCall, truth: TruthCall): void => {
    expect(row).toMatchObject({ verdict: 'cut-by-client', estimated: true });
    expect(outputOf(row)).toBeGreaterThanOrEqual(WORDS);
    expect(outputOf(row)).toBeLessThanOrEqual(truth.outputTokens);
  };

  it.each([
    ['reports nothing in five seconds', `pause@${LAST}t:${HELD_MS}`, 'aborted-by-client'],
    ['breaks', `pause@${LAST}t:500,reset@${LAST}t`, 'cut'],
    ['ends without its terminator', `pause@${LAST}t:500,end@${LAST}t`, 'cut'],
    ['sends an error', `pause@${LAST}t:500,error-event@${LAST}t`, 'complete'],
  ])('by a vendor that %s', async (_name, fault, finished) => {
    const { row, truth } = await leave(world, {
      ...asStream('chat', 'gpt-chat'),
      directive: `thinking=${THOUGHTS} tokens=${WORDS} fault=${fault}`,
      when: atLastWord,
    });
    await until(() => truth.finished !== 'running');
    expect(truth.finished).toBe(finished);
    estimated(row, truth);
  });

  it('by a vendor that never ends: it is stopped after a mebibyte', async () => {
    const words = 100_000;
    const { row, truth } = await leave(world, {
      path: '/v1/responses',
      body: (input) => ({ model: 'endless', stream: true, input }),
      directive: `thinking=10 tokens=${words} fault=pause@20t:300`,
      when: (seen, made) => seen !== '' && (made?.outputTokens ?? 0) >= 20,
    });
    await until(() => truth.finished !== 'running');
    expect(truth.finished).toBe('aborted-by-client');
    // An event has some two hundred bytes; the sockets hold some more of them.
    expect(truth.events).toBeLessThan(words / 4);
    expect(row).toMatchObject({ verdict: 'cut-by-client', estimated: true });
    expect(outputOf(row)).toBeLessThan(100);
  });

  it('in a plain answer that does not come in time: its input', async () => {
    const { row, truth } = await leave(world, {
      path: '/v1/chat/completions',
      body: (prompt) => ({ ...CLIENTS.chat?.body('gpt-chat', prompt), stream: false }),
      directive: `thinking=${THOUGHTS} tokens=${WORDS} fault=no-headers`,
      when: atWork,
    });
    expect(row).toMatchObject({ status: 499, estimated: true, output_text: 0n, output_reasoning: 0n });
    expect(Math.abs(Number(row.input_fresh) - truth.inputTokens)).toBeLessThanOrEqual(12);
  });

  it('but nothing where the vendor answers with an error', async () => {
    const { row } = await leave(world, {
      path: '/v1/chat/completions',
      body: (prompt) => ({ ...CLIENTS.chat?.body('gpt-chat', prompt), stream: false }),
      directive: 'delay=700 fault=status@500',
      when: atWork,
    });
    expect(row).toMatchObject({ status: 499, charge_micro: 0n, input_fresh: 0n });
  });
});

it('a model that does not reason is not read on', async () => {
  const { row, truth } = await leave(world, {
    ...asStream('chat', 'no-thinker'),
    directive: `tokens=${WORDS * 2} fault=pause@${WORDS}t:1500`,
    when: (seen, made) => seen !== '' && (made?.outputTokens ?? 0) >= WORDS,
  });
  await until(() => truth.finished !== 'running');
  expect(truth.finished).toBe('aborted-by-client');
  expect(row).toMatchObject({ estimated: true, output_text: BigInt(WORDS), output_reasoning: 0n });
});

it('an unknown model is read on where its stream shows that it reasons', async () => {
  const { row, truth } = await leave(world, {
    ...asStream('messages', 'unknown'),
    directive: `thinking=${THOUGHTS} tokens=${WORDS} fault=pause@${LAST}t:900`,
    when: atLastWord,
  });
  expectReported(row, truth);
});

it('a call with an own credential is read on for its log, and costs nothing', async () => {
  const body = { vendor_code: 'openai', name: 'mine', secret: 'sk-sim-openai-mine' };
  const token = await world.login('byok@example.com');
  expect((await world.api('POST', '/credential', { token, body })).status).toBe(200);
  const { row, truth } = await leave(world, {
    ...asStream('chat', 'gpt-chat'),
    directive: `thinking=${THOUGHTS} tokens=${WORDS} fault=pause@${LAST}t:900`,
    when: atLastWord,
    email: 'byok@example.com',
  });
  expect(truth.key).toBe('sk-sim-openai-mine');
  expect(row).toMatchObject({
    payer: 'byok',
    estimated: false,
    output_reasoning: BigInt(THOUGHTS),
    charge_micro: 0n,
  });
  expect(outputOf(row)).toBeLessThanOrEqual(OUTPUT_MAX);
});
