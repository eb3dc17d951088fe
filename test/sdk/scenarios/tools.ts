import { expect } from 'vitest';
import {
  askOf,
  BOTH,
  type Cell,
  type Scenario,
  type Spoken,
  speak,
  THINKING,
  type Thinker,
  type Wish,
} from '../cell.ts';
import type { Execute, Reply, Round, Tool, ToolCall } from '../clients/client.ts';
import { FINISH } from '../expected.ts';
import type { Upstream } from '../upstream.ts';
import { readVendorRequest } from '../vendor-request.ts';
import { listen } from '../world.ts';

const place = (name: string, description: string): Tool => ({
  name,
  description,
  schema: {
    type: 'object',
    properties: { city: { type: 'string' }, days: { type: 'integer', minimum: 1, maximum: 9 } },
    required: ['city', 'days'],
    additionalProperties: false,
  },
});

export const TOOLS: readonly Tool[] = [
  place('weather', 'Tells the weather of a city.'),
  place('opening-hours', 'Tells when the museums of a city are open.'),
];

/** Gemini takes these in place of a signature that was lost; nobody should need them here. */
export const SENTINEL = /^(skip_thought|context_engineering)/;

const tools: Scenario = {
  name: 'tool',
  meaning: 'name and arguments of a call, its result at the vendor, and the answer after it',
  modes: BOTH,
  run: async (cell) => {
    const wish: Wish = { tools: TOOLS, words: 'tool=opening-hours' };
    const first = await speak(cell, wish);
    expect([...first.request.tools].sort()).toEqual(TOOLS.map(({ name }) => name).sort());
    expectCalls(cell, first, ['opening-hours']);
    const { reply, said, request } = await speak(cell, { ...wish, rounds: [roundOf(first.reply)] });
    expect(request.calls).toEqual(answered(cell, first.reply));
    expect(reply.text).toBe(said.text);
    expect(reply.finish).toBe(FINISH[cell.client.form].stop);
  },
};

const parallel: Scenario = {
  name: 'parallel tools',
  meaning: 'three calls at once, two of them of one tool, and each result with its own call',
  modes: BOTH,
  run: async (cell) => {
    const wish: Wish = { tools: TOOLS, words: 'tool=weather,opening-hours,weather' };
    const first = await speak(cell, wish);
    expectCalls(cell, first, ['weather', 'opening-hours', 'weather']);
    const { reply, said, request } = await speak(cell, { ...wish, rounds: [roundOf(first.reply)] });
    expect(request.calls).toEqual(answered(cell, first.reply));
    expect(reply.text).toBe(said.text);
  },
};

export const loop: Scenario = {
  name: 'tool loop with thinking',
  meaning:
    'calls, results, calls, results, an answer and another question, on models that think: what they signed ' +
    'comes back to them, and they verify it',
  modes: BOTH,
  run: async (cell) => {
    for (const thinker of THINKING[cell.upstream]) await runLoop(cell, thinker);
  },
};

const LOOP_TOOLS = ['weather', 'opening-hours'];
const LOOP_TURNS = 4;
const THOUGHT_TOKENS = 20;
const LOOP_DIRECTIVE = `tool=${LOOP_TOOLS.join()} steps=2 thinking=${THOUGHT_TOKENS}`;

async function runLoop(cell: Cell, thinker: Thinker): Promise<void> {
  const { model, thinking, words } = thinker;
  const tag = `${cell.tag}-${model}-${words}`;
  const directive = `${words} ${LOOP_DIRECTIVE}`;
  const rounds: Round[] = [];
  const replies: Reply[] = [];
  for (let turn = 0; turn < LOOP_TURNS; turn++) {
    const spoken = await speak(cell, { model, thinking, tag, words: directive, tools: TOOLS, rounds });
    expect(spoken.truth.reasoningTokens).toBe(THOUGHT_TOKENS);
    expect(spoken.reply.reasoning).toBe(isShown(cell, thinker) ? spoken.said.reasoning : '');
    expect(spoken.request.calls).toEqual(replies.flatMap((reply) => answered(cell, reply)));
    expectSignatures(cell.upstream, spoken.request.signatures, turn);
    const isAnswer = turn === 2;
    if (isAnswer) expect(spoken.reply.text).toBe(spoken.said.text);
    else expectCalls(cell, spoken, LOOP_TOOLS);
    const next = isAnswer ? { next: `And then? [[sim tag=${tag} ${directive}]]` } : {};
    rounds.push({ ...roundOf(spoken.reply), ...next });
    replies.push(spoken.reply);
  }
}

const ownLoop: Scenario = {
  name: 'tool loop of the SDK',
  meaning: 'the same with the loop that the SDK itself has, which keeps the history as it likes',
  modes: BOTH,
  run: async (cell) => {
    for (const { model, thinking, words } of THINKING[cell.upstream]) {
      const tag = `${cell.tag}-${model}-${words}`;
      await runOwnLoop({ ...cell, tag }, { model, thinking, words: `${words} ${LOOP_DIRECTIVE}` });
    }
  },
};

async function runOwnLoop(cell: Cell, wish: Wish): Promise<void> {
  const { client, mode, upstream, world, tag } = cell;
  const results: string[] = [];
  const execute: Execute = (call) => {
    const text = resultOf(call);
    results.push(client.resultText?.({ id: '', name: call.name, text }) ?? text);
    return text;
  };
  const { result } = await listen(async () =>
    client.loop?.(askOf(cell, { ...wish, tools: TOOLS }), mode, execute),
  );
  const { truth } = world.simulator;
  // A refused request was not answered: Anthropic's SDK first asks for a thread that the vendor would keep.
  const calls = truth.list(tag).filter(({ said }) => said !== undefined);
  expect(calls.map(({ said }) => said?.finish)).toEqual(['tool', 'tool', 'stop']);
  const last = calls[2];
  expect(result).toBe(last?.said?.text);
  const request = readVendorRequest(upstream, last === undefined ? undefined : truth.body(last));
  expect(request.calls.map((call) => call.result).sort()).toEqual(results.sort());
  expectSignatures(upstream, request.signatures, 2);
}

/** Chat Completions shows no reasoning, and redacted thinking has no words. */
function isShown({ client, upstream }: Cell, { model, words }: Thinker): boolean {
  return upstream !== 'chat' && words !== 'redacted' && client.showsReasoning(upstream, model);
}

/**
 * One for each turn before this one; the simulator has verified that they are its own. After the next
 * question those of the turn before are no longer demanded, so that the answer's own may be lost.
 */
function expectSignatures(upstream: Upstream, signatures: readonly string[], turns: number): void {
  const { length } = signatures;
  if (upstream === 'chat') expect(length).toBe(0);
  else if (turns < 3) expect(length).toBe(turns);
  else expect([2, 3]).toContain(length);
  expect(signatures.filter((signature) => SENTINEL.test(signature))).toEqual([]);
  expect(new Set(signatures).size).toBe(length);
}

export function expectCalls({ client }: Cell, { reply, said }: Spoken, names: readonly string[]): void {
  expect(said.calls.map(({ name }) => name)).toEqual(names);
  expect(reply.calls.map(({ name, input }) => ({ name, input }))).toEqual(
    said.calls.map(({ name, arguments: json }) => ({ name, input: JSON.parse(json) as unknown })),
  );
  expect(reply.finish).toBe(FINISH[client.form].tool);
}

export function resultOf(call: Omit<ToolCall, 'id'>): string {
  return `${call.name} of ${JSON.stringify(call.input)}: fine`;
}

export function roundOf({ turn, calls }: Reply): Round {
  return { turn, results: calls.map((call) => ({ id: call.id, name: call.name, text: resultOf(call) })) };
}

function answered({ client }: Cell, reply: Reply): readonly object[] {
  const { results } = roundOf(reply);
  return reply.calls.map(({ name, input }, index) => {
    const result = results[index];
    const text = result === undefined ? undefined : (client.resultText?.(result) ?? result.text);
    return { name, input, result: text };
  });
}

export const TOOL_USE: readonly Scenario[] = [tools, parallel, loop, ownLoop];
