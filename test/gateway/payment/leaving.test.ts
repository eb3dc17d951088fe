import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { World } from '../../support/world.ts';
import {
  asStream,
  type Call,
  CLIENTS,
  HELD_MS,
  leave,
  MODELS,
  type ModelName,
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
        const { row, truth } = await leave(world, {
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

  it('or what was seen and thought, when no usage comes within five seconds', async () => {
    const end = EVENTS_TO_END['gpt-chat'];
    const { row, truth } = await leave(world, {
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
    const { row, truth } = await leave(world, {
      path: '/v1/chat/completions',
      body: (prompt) => ({ ...CLIENTS.chat?.body('no-thinker', prompt), n: 2 }),
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
        // A vendor that breaks reports nothing, like one that is silent for five seconds.
        const { row, truth } = await leave(world, {
          ...asStream(client, model),
          directive: `thinking=${THOUGHTS} thinkms=600 tokens=${WORDS}${late} fault=pause@${last}t:500,reset@${last}t`,
          when: (_seen, made) => (made?.outputTokens ?? 0) >= last,
        });
        expect(truth.finished).toBe('cut');
        expect(row).toMatchObject({ verdict: 'cut-by-client', estimated: true });
        expect(Number(row.output_reasoning)).toBeGreaterThan(0);
        expect(outputOf(row)).toBeGreaterThanOrEqual(WORDS);
        expect(outputOf(row)).toBeLessThanOrEqual(OUTPUT_MAX);
        expect(BigInt(String(row.charge_micro))).toBeGreaterThan(0n);
      });
    }
  }

  it('up to the requested output limit', async () => {
    const { row } = await leave(world, {
      path: '/v1/chat/completions',
      body: (prompt) => ({ ...CLIENTS.chat?.body('gpt-chat', prompt), max_completion_tokens: 20 }),
      directive: `thinking=10 thinkms=1500 tokens=${WORDS} fault=pause@${10 + WORDS}t:500,reset@${10 + WORDS}t`,
      when: (_seen, made) => (made?.outputTokens ?? 0) >= 10 + WORDS,
    });
    expect(outputOf(row)).toBeGreaterThan(WORDS);
    expect(outputOf(row)).toBeLessThanOrEqual(20);
  });

  it.each([
    ['a model that does not reason', { model: 'no-thinker' }],
    ['one that was told not to', { model: 'switchable', reasoning_effort: 'none' }],
  ])('but %s is charged for visible output only', async (_name, fields) => {
    const { row, truth } = await leave(world, {
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
    const { row, truth } = await leave(world, {
      ...asStream('responses', 'gpt-responses'),
      directive: `thinking=1990 thinkms=1000 tokens=10 fault=pause@2000t:500,reset@2000t`,
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

  it.each(Object.keys(CLIENTS).map((client, index) => [client, MODELS[3 - index] ?? 'claude'] as const))(
    '%s client, %s: a stream that has not shown an event',
    async (client, model) => {
      const { row, truth } = await leave(world, {
        ...asStream(client, model),
        directive: 'fault=headers-then-silence',
        // The head needs a moment to arrive; what the vendor has sent is all that a test can see.
        when: (seen, made) => answering(seen, made) && Date.now() - (made?.startedAtMs ?? 0) > 500,
      });
      expect(row).toMatchObject({ status: 499, verdict: 'cut-by-client', estimated: true });
      expect(Math.abs(Number(row.input_fresh) - truth.inputTokens)).toBeLessThanOrEqual(12);
      expect(BigInt(String(row.charge_micro))).toBeGreaterThan(0n);
    },
  );

  it('but nothing before the head of a stream', async () => {
    const { row } = await leave(world, {
      ...asStream('chat', 'gpt-chat'),
      directive: 'fault=no-headers',
      when: (_seen, truth) => (truth?.responseId ?? '') !== '',
    });
    expect(row).toMatchObject({ status: 499, charge_micro: 0n, input_fresh: 0n });
  });

  it('and a plain answer on its way is read for its usage', async () => {
    const { row, truth } = await leave(world, {
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
    const { row } = await leave(world, {
      path: '/v1/images/generations',
      body: (prompt) => ({ model: 'painter', prompt, n: 3, ...(stream ? { stream, n: 1 } : {}) }),
      directive: 'fault=headers-then-silence',
      when: (seen, made) => answering(seen, made) && Date.now() - (made?.startedAtMs ?? 0) > 500,
    });
    expect(row).toMatchObject({ status: 499, images: stream ? 1n : 3n, estimated: true });
    expect(BigInt(String(row.charge_micro))).toBeGreaterThanOrEqual(300_000_000n * (stream ? 1n : 3n));
  });
});
