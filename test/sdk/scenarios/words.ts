import { expect } from 'vitest';
import { BOTH, type Scenario, speak, THINKING } from '../cell.ts';
import type { JsonSchema } from '../clients/client.ts';
import { FINISH, finishAfterStop, REFUSAL } from '../expected.ts';
import { truthUsage } from '../world.ts';

/** A picture of one pixel. */
const PICTURE =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const SCHEMA: JsonSchema = {
  type: 'object',
  properties: {
    city: { type: 'string' },
    degrees: { type: 'integer' },
    sky: { type: 'string', enum: ['clear', 'cloudy'] },
  },
  required: ['city', 'degrees', 'sky'],
  additionalProperties: false,
};

const text: Scenario = {
  name: 'text',
  meaning: 'the words of the vendor, letter by letter, and why they ended',
  modes: BOTH,
  run: async (cell) => {
    let pieces = 0;
    const onText = (): void => void pieces++;
    const { reply, said } = await speak(cell, { words: 'tokens=40 unicode', onText });
    expect(said.text.length).toBeGreaterThan(40);
    expect(reply.text).toBe(said.text);
    expect(reply.finish).toBe(FINISH[cell.client.form].stop);
    // A stream comes as the vendor speaks, not all at once in the end.
    if (cell.mode === 'streamed') expect(pieces).toBeGreaterThan(20);
  },
};

const system: Scenario = {
  name: 'system',
  meaning: 'the instructions stand where the vendor expects them',
  modes: BOTH,
  run: async (cell) => {
    const rule = `Answer in the manner of ${cell.tag}.`;
    const { reply, said, request } = await speak(cell, { system: rule });
    expect(request.system.trim()).toBe(rule);
    expect(reply.text).toBe(said.text);
  },
};

const image: Scenario = {
  name: 'image',
  meaning: 'the bytes of a picture arrive unchanged',
  modes: BOTH,
  run: async (cell) => {
    const { reply, said, request } = await speak(cell, { image: PICTURE });
    expect(request.images).toEqual([PICTURE]);
    expect(reply.text).toBe(said.text);
  },
};

const structured: Scenario = {
  name: 'structured output',
  meaning: 'the vendor got the schema, and what it made of it is what the client reads',
  modes: BOTH,
  run: async (cell) => {
    const { reply, said } = await speak(cell, { schema: SCHEMA });
    // Where a provider of the AI SDK does not trust the model with a format, it asks for a call instead.
    const made: unknown = JSON.parse(said.text === '' ? (said.calls[0]?.arguments ?? '') : said.text);
    expect(Object.keys(made as object).sort()).toEqual([...SCHEMA.required].sort());
    expect(JSON.parse(reply.text)).toEqual(made);
    if (reply.object !== undefined) expect(reply.object).toEqual(made);
  },
};

const stop: Scenario = {
  name: 'stop',
  meaning: 'the text ends before the stop sequence, also where the gateway has to look for it',
  modes: BOTH,
  run: async (cell) => {
    const words = 'tokens=30 seed=11';
    const whole = await speak(cell, { words, tag: `${cell.tag}-whole` });
    const [, , , , , word = ''] = whole.said.text.split(' ');
    const sequence = ` ${word}`;
    const { reply } = await speak(cell, { words, stop: sequence });
    expect(reply.text).toBe(whole.said.text.slice(0, whole.said.text.indexOf(sequence)));
    expect(reply.text).not.toBe('');
    expect(reply.finish).toBe(finishAfterStop(cell.client.form, cell.upstream, sequence));
  },
};

const length: Scenario = {
  name: 'length',
  meaning: 'the limit arrives, and the client hears that it was reached',
  modes: BOTH,
  run: async (cell) => {
    const { reply, said, request, truth } = await speak(cell, { words: 'tokens=60', maxTokens: 20 });
    expect(request.maxTokens).toBe(20);
    expect(truth.outputTokens).toBe(20);
    expect(reply.text).toBe(said.text);
    expect(reply.finish).toBe(FINISH[cell.client.form].length);
  },
};

const refusal: Scenario = {
  name: 'refusal',
  meaning: 'what the model said instead of an answer, where this client looks for it',
  modes: BOTH,
  run: async (cell) => {
    const { reply, said } = await speak(cell, { words: 'refuse tokens=12' });
    const { finish, field } =
      cell.client.refusal?.(cell.upstream) ?? REFUSAL[cell.client.form][cell.upstream];
    expect(said.refusal).not.toBe('');
    expect(reply.finish).toBe(finish);
    expect(reply.text).toBe(field === 'text' || field === 'both' ? said.refusal : '');
    expect(reply.refusal).toBe(field === 'refusal' || field === 'both' ? said.refusal : '');
  },
};

const usage: Scenario = {
  name: 'usage',
  meaning: 'cached input, written cache and reasoning, in figures of this client, and charged by them',
  modes: BOTH,
  run: async (cell) => {
    for (const { model, thinking, words } of THINKING[cell.upstream]) {
      const tag = `${cell.tag}-${model}-${words}`;
      const directive = `${words} thinking=25 tokens=30 cached=7 cachewrite=4`;
      const { truth } = await speak(cell, { model, thinking, words: directive, tag });
      // The figures themselves are compared in every cell; here none of them may be nothing.
      const { fresh, ...figures } = truthUsage(truth, cell.upstream);
      const cacheWrite = cell.upstream === 'gemini' ? 0 : 4;
      expect(figures).toEqual({ cacheRead: 7, cacheWrite, text: 30, reasoning: 25 });
      expect(fresh).toBeGreaterThan(0);
    }
  },
};

export const WORDS: readonly Scenario[] = [text, system, image];
export const ENDINGS: readonly Scenario[] = [structured, stop, length, refusal, usage];
