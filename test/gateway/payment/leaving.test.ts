import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TruthCall } from '../../../sim/truth.ts';
import { systemRandom } from '../../../src/kernel/random.ts';
import { findLogin } from '../../../src/store/accounts/accounts.ts';
import { createKey } from '../../../src/store/accounts/api-keys.ts';
import { until } from '../../support/processes.ts';
import { STANDARD_CATALOG, startWorld, type World } from '../../support/world.ts';
import type { LoggedCall } from '../logged-call.ts';

/** The longest answer that any of these calls may have. */
const OUTPUT_MAX = 3_000;
const THOUGHTS = 1_000;
const WORDS = 4;
/** Longer than any client here waits, and longer than the gateway reads on. */
const HELD_MS = 20_000;

/** Every client with every vendor: the model says which vendor it is. */
const MODELS = ['gpt-chat', 'gpt-responses', 'claude', 'gemini'] as const;
type ModelName = (typeof MODELS)[number];

const CATALOG = STANDARD_CATALOG.replace(
  'models:\n',
  `models:
  - { model_id: gpt-chat, prices: { input: "100", output: "1000" }, max_output_tokens: ${OUTPUT_MAX}, routes: [{ vendor: openai, credential: openai-main, forward_model_id: gpt-5, protocols: [chat] }] }
  - { model_id: gpt-responses, prices: { input: "100", output: "1000" }, max_output_tokens: ${OUTPUT_MAX}, routes: [{ vendor: openai, credential: openai-main, forward_model_id: gpt-5, protocols: [responses] }] }
  - { model_id: claude, prices: { input: "100", output: "1000" }, max_output_tokens: ${OUTPUT_MAX}, routes: [{ vendor: anthropic, credential: anthropic-main, forward_model_id: claude-sonnet-5 }] }
  - { model_id: gemini, prices: { input: "100", output: "1000" }, max_output_tokens: ${OUTPUT_MAX}, routes: [{ vendor: google, credential: google-main, forward_model_id: gemini-3-pro }] }
  - { model_id: painter, prices: { input: "100", image: "0.3" }, routes: [{ vendor: openai, credential: openai-main, forward_model_id: gpt-image-1, protocols: [images] }] }
  - { model_id: no-thinker, prices: { input: "100", output: "1000" }, max_output_tokens: ${OUTPUT_MAX}, routes: [{ vendor: openai, credential: openai-main, forward_model_id: gpt-4o, protocols: [chat] }] }
  - { model_id: switchable, prices: { input: "100", output: "1000" }, max_output_tokens: ${OUTPUT_MAX}, routes: [{ vendor: openai, credential: openai-main, forward_model_id: gpt-5.6, protocols: [chat] }] }
`,
).replace('credits: "50000"', 'credits: "50000000"');

let world: World;
beforeAll(async () => {
  world = await startWorld({ catalog: CATALOG });
  // An answer of each model with reasoning in it: from now on it is known to reason.
  await Promise.all(
    MODELS.map(async (model) => {
      const content = `[[sim thinking=100 thinkms=300 tokens=${WORDS}]]`;
      const body = { model, stream: true, messages: [{ role: 'user', content }] };
      const answer = await world.post('/v1/chat/completions', body);
      await answer.arrayBuffer();
      expect(answer.status).toBe(200);
    }),
  );
});
afterAll(() => world.close());

type Json = Record<string, unknown>;

interface Client {
  path(model: string): string;
  body(model: string, prompt: string): Json;
}

const CLIENTS: Readonly<Record<string, Client>> = {
  chat: {
    path: () => '/v1/chat/completions',
    body: (model, content) => ({ model, stream: true, messages: [{ role: 'user', content }] }),
  },
  responses: {
    path: () => '/v1/responses',
    body: (model, input) => ({ model, stream: true, input }),
  },
  messages: {
    path: () => '/v1/messages',
    body: (model, content) => ({
      model,
      stream: true,
      max_tokens: OUTPUT_MAX,
      messages: [{ role: 'user', content }],
    }),
  },
  gemini: {
    path: (model) => `/v1beta/models/${model}:streamGenerateContent?alt=sse`,
    body: (_model, text) => ({ contents: [{ role: 'user', parts: [{ text }] }] }),
  },
};

interface Left {
  readonly row: LoggedCall;
  readonly truth: TruthCall;
}

let calls = 0;

interface Call {
  readonly path: string;
  readonly body: (prompt: string) => Json;
  readonly directive: string;
  /** When the client goes: by what it has got, or by what the vendor has done. */
  readonly when: (seen: string, truth: TruthCall | undefined) => boolean;
}

const LEAVE_TRIES = 5;

/** A busy machine may be late: a client that got the whole answer before it left tries again. */
async function leave(call: Call): Promise<Left> {
  for (let tries = 1; ; tries++) {
    const left = await leaveOnce(call);
    if (left.row.verdict !== 'complete' || tries === LEAVE_TRIES) return left;
  }
}

/** Calls, leaves when it is time, and finds the call's row and truth. */
async function leaveOnce({ path, body, directive, when }: Call): Promise<Left> {
  const tag = `left-${++calls}`;
  const key = await keyNamed(tag);
  const outgoing = request(world.url + path, {
    method: 'POST',
    agent: false,
    headers: { ...world.headers(key), 'anthropic-version': '2023-06-01' },
  });
  outgoing.on('error', () => {});
  let seen = '';
  outgoing.on('response', (incoming) => {
    incoming.on('data', (chunk: Buffer) => {
      seen += chunk.toString('latin1');
    });
    incoming.on('error', () => {});
  });
  outgoing.end(JSON.stringify(body(`some words for a prompt [[sim tag=${tag} ${directive}]]`)));
  await until(() => when(seen, world.simulator.truth.find(tag)));
  outgoing.destroy();
  let row: LoggedCall | undefined;
  await until(async () => {
    [row] = await world.database.query<LoggedCall>('select * from calls where key_name = $1', [tag]);
    return row !== undefined;
  });
  const truth = world.simulator.truth.find(tag);
  if (row === undefined || truth === undefined) throw new Error('the call left no trace');
  return { row, truth };
}

/** Calls run side by side: each is known by the name of its key. */
async function keyNamed(name: string): Promise<string> {
  const login = await findLogin(world.database, 'user@example.com');
  const terms = { policyId: undefined, expiresAtMs: undefined, status: 'enabled' } as const;
  const accountId = login?.accountId ?? 0;
  const created = await createKey(world.database, { accountId, name, ...terms }, systemRandom);
  if (created.kind !== 'created') throw new Error(created.kind);
  return created.text;
}

const asStream = (client: string, model: string): Pick<Call, 'path' | 'body'> => ({
  path: CLIENTS[client]?.path(model) ?? '',
  body: (prompt) => CLIENTS[client]?.body(model, prompt) ?? {},
});

const outputOf = (row: LoggedCall): number => Number(row.output_text) + Number(row.output_reasoning);
const eventsAre =
  (count: number): Call['when'] =>
  (seen, truth) =>
    truth !== undefined && truth.events >= count && seen !== '';

/** Events of each vendor's stream up to the one that is the answer's end, without its figures. */
const EVENTS_TO_END: Readonly<Record<ModelName, number>> = {
  // The role, the words, the finish reason.
  'gpt-chat': 1 + WORDS + 1,
  // Created, in progress; the reasoning item; the message with its part, words and what closes them.
  'gpt-responses': 2 + 2 + 2 + WORDS + 3,
  // The start; the thinking with its signature, a ping; the text.
  claude: 1 + 4 + 1 + WORDS + 1,
  // Its words carry figures of their own.
  gemini: WORDS,
};

describe.concurrent('a client that leaves after the end of the answer pays the reported usage', () => {
  for (const model of MODELS) {
    for (const client of Object.keys(CLIENTS)) {
      it(`${client} client, ${model}: its usage comes a moment later`, async () => {
        const end = EVENTS_TO_END[model];
        const directive = `thinking=${THOUGHTS} tokens=${WORDS} fault=pause@${end}:700`;
        const { row, truth } = await leave({
          ...asStream(client, model),
          directive,
          when: eventsAre(end),
        });
        expect(truth.reasoningTokens).toBe(THOUGHTS);
        expect(row).toMatchObject({
          verdict: 'cut-by-client',
          estimated: false,
          input_fresh: BigInt(truth.inputTokens),
          output_text: BigInt(WORDS),
          output_reasoning: BigInt(THOUGHTS),
        });
      });
    }
  }

  it('or what was seen and thought, when no usage comes within two seconds', async () => {
    const end = EVENTS_TO_END['gpt-chat'];
    const { row, truth } = await leave({
      ...asStream('chat', 'gpt-chat'),
      directive: `thinking=${THOUGHTS} thinkms=500 tokens=${WORDS} fault=pause@${end}:${HELD_MS}`,
      when: eventsAre(end),
    });
    expect(truth.finished).toBe('aborted-by-client');
    expect(row).toMatchObject({ verdict: 'cut-by-client', estimated: true, output_text: BigInt(WORDS) });
    expect(Number(row.output_reasoning)).toBeGreaterThan(0);
    expect(outputOf(row)).toBeLessThanOrEqual(OUTPUT_MAX);
  });

  it('and the vendor is stopped at once if the answer continues', async () => {
    // Two choices: the first one has its finish reason before the second one begins.
    const end = EVENTS_TO_END['gpt-chat'];
    const { row, truth } = await leave({
      path: '/v1/chat/completions',
      body: (prompt) => ({ ...CLIENTS.chat?.body('gpt-chat', prompt), n: 2 }),
      directive: `tokens=${WORDS} fault=pause@${end}:300,pause@${end + 1}:${HELD_MS}`,
      when: eventsAre(end),
    });
    expect(truth.finished).toBe('aborted-by-client');
    expect(row).toMatchObject({ verdict: 'cut-by-client', estimated: true });
    expect(Number(row.output_text)).toBeGreaterThanOrEqual(WORDS);
  });
});

describe.concurrent('a client that leaves before the end pays the estimated thinking', () => {
  for (const model of MODELS) {
    for (const client of Object.keys(CLIENTS)) {
      it(`${client} client, ${model}: on the last visible word`, async () => {
        // Google tells its figures with every chunk, unless it tells them late.
        const late = model === 'gemini' ? ' usage=late' : '';
        const last = THOUGHTS + WORDS;
        const { row, truth } = await leave({
          ...asStream(client, model),
          directive: `thinking=${THOUGHTS} thinkms=600 tokens=${WORDS}${late} fault=pause@${last}t:${HELD_MS}`,
          when: (_seen, made) => (made?.outputTokens ?? 0) >= last,
        });
        expect(truth.finished).toBe('aborted-by-client');
        expect(row).toMatchObject({ verdict: 'cut-by-client', estimated: true });
        expect(Number(row.output_reasoning)).toBeGreaterThan(0);
        expect(outputOf(row)).toBeGreaterThanOrEqual(WORDS);
        expect(outputOf(row)).toBeLessThanOrEqual(OUTPUT_MAX);
        expect(BigInt(String(row.charge_micro))).toBeGreaterThan(0n);
      });
    }
  }

  it('up to the requested output limit', async () => {
    const { row } = await leave({
      path: '/v1/chat/completions',
      body: (prompt) => ({ ...CLIENTS.chat?.body('gpt-chat', prompt), max_completion_tokens: 20 }),
      directive: `thinking=10 thinkms=1500 tokens=${WORDS} fault=pause@${10 + WORDS}t:${HELD_MS}`,
      when: (_seen, made) => (made?.outputTokens ?? 0) >= 10 + WORDS,
    });
    expect(outputOf(row)).toBeGreaterThan(WORDS);
    expect(outputOf(row)).toBeLessThanOrEqual(20);
  });

  it.each([
    ['a model that does not reason', { model: 'no-thinker' }],
    ['one that was told not to', { model: 'switchable', reasoning_effort: 'none' }],
  ])('but %s is charged for visible output only', async (_name, fields) => {
    const { row, truth } = await leave({
      path: '/v1/chat/completions',
      body: (prompt) => ({ ...CLIENTS.chat?.body(fields.model, prompt), ...fields }),
      directive: `tokens=${WORDS} pace=200 fault=pause@${WORDS}t:${HELD_MS}`,
      when: (seen, made) => seen !== '' && (made?.outputTokens ?? 0) >= WORDS,
    });
    expect(outputOf(row)).toBe(truth.outputTokens);
  });

  it('by the speed of the model’s complete answers', async () => {
    // Two thousand tokens in about a second: far from the usual speed, and so often that it is believed.
    const measured = Array.from({ length: 15 }, async () => {
      const answer = await world.post('/v1/responses', {
        model: 'gpt-responses',
        stream: true,
        max_output_tokens: 3_000,
        input: '[[sim thinking=1990 thinkms=1000 tokens=10]]',
      });
      await answer.arrayBuffer();
    });
    await Promise.all(measured);
    const { row, truth } = await leave({
      ...asStream('responses', 'gpt-responses'),
      directive: `thinking=1990 thinkms=1000 tokens=10 fault=pause@2000t:${HELD_MS}`,
      when: (_seen, made) => (made?.outputTokens ?? 0) >= 2_000,
    });
    expect(truth.outputTokens).toBe(2_000);
    // At the usual speed it would be a few hundred.
    expect(outputOf(row)).toBeGreaterThan(800);
    expect(outputOf(row)).toBeLessThanOrEqual(OUTPUT_MAX);
  });
});

describe.concurrent('a client that leaves after the head of the vendor’s answer pays the input', () => {
  const answering: Call['when'] = (_seen, truth) => truth?.status === 200;

  for (const model of MODELS) {
    for (const client of Object.keys(CLIENTS)) {
      it(`${client} client, ${model}: a stream that has not shown an event`, async () => {
        const { row, truth } = await leave({
          ...asStream(client, model),
          directive: 'fault=headers-then-silence',
          // The head needs a moment to arrive; what the vendor has sent is all that a test can see.
          when: (seen, made) => answering(seen, made) && Date.now() - (made?.startedAtMs ?? 0) > 500,
        });
        expect(row).toMatchObject({ status: 499, verdict: 'cut-by-client', estimated: true });
        expect(Math.abs(Number(row.input_fresh) - truth.inputTokens)).toBeLessThanOrEqual(12);
        expect(BigInt(String(row.charge_micro))).toBeGreaterThan(0n);
      });
    }
  }

  it('but nothing before the head of a stream', async () => {
    const { row } = await leave({
      ...asStream('chat', 'gpt-chat'),
      directive: 'fault=no-headers',
      when: (_seen, truth) => (truth?.responseId ?? '') !== '',
    });
    expect(row).toMatchObject({ status: 499, charge_micro: 0n, input_fresh: 0n });
  });

  it('and a plain answer on its way is read for its usage', async () => {
    const { row, truth } = await leave({
      path: '/v1/chat/completions',
      body: (prompt) => ({ ...CLIENTS.chat?.body('gpt-chat', prompt), stream: false }),
      directive: `thinking=${THOUGHTS} tokens=${WORDS} fault=pause@0:900`,
      when: (seen, made) => answering(seen, made) && Date.now() - (made?.startedAtMs ?? 0) > 300,
    });
    expect(row).toMatchObject({
      status: 499,
      verdict: 'cut-by-client',
      estimated: false,
      input_fresh: BigInt(truth.inputTokens),
      output_reasoning: BigInt(THOUGHTS),
    });
  });

  it.each([
    ['plain', false],
    ['streamed', true],
  ])('and an Images call pays the requested images, %s', async (_name, stream) => {
    const { row } = await leave({
      path: '/v1/images/generations',
      body: (prompt) => ({ model: 'painter', prompt, n: 3, ...(stream ? { stream, n: 1 } : {}) }),
      directive: 'fault=headers-then-silence',
      when: (seen, made) => answering(seen, made) && Date.now() - (made?.startedAtMs ?? 0) > 500,
    });
    expect(row).toMatchObject({ status: 499, images: stream ? 1n : 3n, estimated: true });
    expect(BigInt(String(row.charge_micro))).toBeGreaterThanOrEqual(300_000_000n * (stream ? 1n : 3n));
  });
});
