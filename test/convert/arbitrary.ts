import fc from 'fast-check';
import type { FinishReason, HubAnswer, HubUsage } from '../../src/protocol/hub/answer.ts';
import type { HubEvent } from '../../src/protocol/hub/event.ts';
import type { Part, ToolCallPart, ToolResultPart } from '../../src/protocol/hub/part.ts';
import type { FunctionTool, HubRequest, ToolChoice, Turn } from '../../src/protocol/hub/request.ts';
import { NO_SAMPLING } from '../../src/protocol/hub/request.ts';
import { someRequest } from '../support/hub.ts';

/** Words with everything in them that breaks writers of JSON and of event streams. */
const PIECES = [
  'a',
  'Zürich ',
  '"',
  '\\',
  '\n',
  '\r\n',
  '\u2028',
  '😀',
  'data: x',
  '{',
  '}',
  '\t',
  'e\u0301',
];
const word = fc.array(fc.constantFrom(...PIECES), { maxLength: 6 }).map((pieces) => `w${pieces.join('')}e`);
const name = fc.stringMatching(/^[a-z_][a-z0-9_]{0,12}$/);
const json = fc
  .dictionary(name, fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 })
  .map((value) => JSON.stringify(value))
  // A key of this name is left out of whatever is read.
  .filter((text) => !text.includes('__proto__'));

/** Vendors look at the first bytes of a picture. */
const PNG = Buffer.from('iVBORw0KGgo=', 'base64');
const picture = fc.uint8Array({ maxLength: 6 }).map(
  (bytes): Part => ({
    kind: 'image',
    source: { kind: 'bytes', mime: 'image/png', base64: Buffer.concat([PNG, bytes]).toString('base64') },
  }),
);
const text = word.map((words): Part => ({ kind: 'text', text: words }));

const call = fc.record({ name, arguments: json });
const result = fc.record({ text: fc.oneof(word, json), isError: fc.boolean() });

/** The user asks, the assistant says something and calls, the tools answer. */
const round = fc.record({
  asked: fc.tuple(text, fc.array(fc.oneof(text, picture), { maxLength: 2 })),
  said: fc.option(word),
  calls: fc.array(fc.tuple(call, result), { maxLength: 3 }),
  told: fc.option(word),
});
type Round = typeof round extends fc.Arbitrary<infer One> ? One : never;

function turnsOf({ asked, said, calls, told }: Round, index: number): readonly Turn[] {
  const made = calls.map(
    ([one], at): ToolCallPart => ({ kind: 'tool-call', id: `call_${index}_${at}`, custom: false, ...one }),
  );
  const results = calls.map(
    ([, one], at): ToolResultPart => ({
      kind: 'tool-result',
      callId: `call_${index}_${at}`,
      parts: [{ kind: 'text', text: one.text }],
      isError: one.isError,
      custom: false,
    }),
  );
  const words: readonly Part[] = [{ kind: 'text', text: said ?? 'ok' }, ...made];
  const [first, more] = asked;
  return [
    { role: 'user', parts: [first, ...more] },
    ...(told === null ? [] : [{ role: 'system', parts: [{ kind: 'text', text: told }] } as const]),
    { role: 'assistant', parts: words },
    ...(results.length === 0 ? [] : [{ role: 'user', parts: results } as const]),
  ];
}

const tool = fc.tuple(name, fc.option(word), name).map(
  ([called, description, property]): FunctionTool => ({
    kind: 'function',
    name: called,
    schema: JSON.stringify({ type: 'object', properties: { [property]: { type: 'string' } } }),
    strict: undefined,
    ...(description === null ? {} : { description }),
  }),
);

function choiceOf(kind: number, tools: readonly FunctionTool[]): ToolChoice | undefined {
  const [first] = tools;
  if (first === undefined) return undefined;
  return [
    undefined,
    { kind: 'auto' } as const,
    { kind: 'none' } as const,
    { kind: 'required' } as const,
    { kind: 'tool', name: first.name } as const,
  ][kind];
}

/** A conversation as any client may have it: it begins with the user, who has the last word. */
export const someConversation: fc.Arbitrary<HubRequest> = fc
  .record({
    system: fc.array(word, { maxLength: 2 }),
    rounds: fc.array(round, { maxLength: 3 }),
    last: text,
    tools: fc.uniqueArray(tool, { maxLength: 3, selector: (one) => one.name }),
    choice: fc.nat({ max: 4 }),
    temperature: fc.option(fc.nat({ max: 100 }).map((hundredths) => hundredths / 100)),
    maxTokens: fc.integer({ min: 16, max: 60_000 }),
    stream: fc.boolean(),
  })
  .map(({ system, rounds, last, tools, choice, temperature, maxTokens, stream }) =>
    someRequest({
      stream,
      system: system.map((words) => ({ kind: 'text', text: words })),
      turns: [...rounds.flatMap(turnsOf), { role: 'user', parts: [last] }],
      tools,
      toolChoice: choiceOf(choice, tools),
      sampling: { ...NO_SAMPLING, temperature: temperature ?? undefined },
      maxTokens,
    }),
  );

const usage = fc.tuple(fc.nat(9_999), fc.nat(9_999), fc.nat(9_999), fc.nat(9_999)).map(
  ([inputFresh, cacheRead, outputText, outputReasoning]): HubUsage => ({
    inputFresh,
    cacheRead,
    cacheWrite: 0,
    cacheWriteLong: 0,
    toolPrompt: 0,
    outputText,
    outputReasoning,
    images: 0,
    videos: 0,
  }),
);

const answerPart: fc.Arbitrary<Part> = fc.oneof(
  text,
  word.map((words): Part => ({ kind: 'reasoning', text: words })),
  call.map((one): Part => ({ kind: 'tool-call', id: '', custom: false, ...one })),
);

const ENDS: readonly FinishReason[] = ['stop', 'length', 'filter'];

/** An answer as a vendor may give it: parts in any order, and a reason that fits them. */
export const someAnswer: fc.Arbitrary<HubAnswer> = fc
  .record({ parts: fc.array(answerPart, { maxLength: 5 }), end: fc.constantFrom(...ENDS), usage })
  .map(({ parts, end, usage: figures }) => {
    const numbered = parts.map((part, index) =>
      part.kind === 'tool-call' ? { ...part, id: `call_v${index}` } : part,
    );
    const isCalled = parts.some(({ kind }) => kind === 'tool-call');
    const reason = end === 'stop' && isCalled ? 'tool' : end;
    const choices = [{ parts: numbered, finish: { reason } }];
    return { id: 'vendor-1', choices, usage: figures, serviceTier: undefined };
  });

/** The same answer as it comes piece by piece; `size` is how many characters a piece has. */
export function eventsOf({ choices, usage: figures }: HubAnswer, size: number): readonly HubEvent[] {
  const [only] = choices;
  const said = (only?.parts ?? []).flatMap((part) => partEvents(part, size));
  return [
    { kind: 'start', id: 'vendor-1', usage: undefined },
    ...said,
    ...(figures === undefined ? [] : [{ kind: 'usage', usage: figures } as const]),
    { kind: 'finish', choice: 0, finish: only?.finish ?? { reason: 'stop' } },
    { kind: 'end' },
  ];
}

function partEvents(part: Part, size: number): readonly HubEvent[] {
  if (part.kind === 'tool-call') {
    const { arguments: input, ...head } = part;
    return [{ kind: 'part', choice: 0, head }, ...deltas(input, size), { kind: 'part-end', choice: 0 }];
  }
  if (part.kind !== 'text' && part.kind !== 'reasoning') return [];
  const head = { kind: part.kind } as const;
  return [{ kind: 'part', choice: 0, head }, ...deltas(part.text, size), { kind: 'part-end', choice: 0 }];
}

function deltas(words: string, size: number): readonly HubEvent[] {
  const letters = [...words];
  const count = Math.ceil(letters.length / size);
  return Array.from({ length: count }, (_nothing, index) => ({
    kind: 'delta',
    choice: 0,
    text: letters.slice(index * size, (index + 1) * size).join(''),
  }));
}

/** Names that mean something to some decoder, in places where they mean nothing. */
const NAMES = [
  ...['type', 'choices', 'delta', 'message', 'content', 'tool_calls', 'function', 'arguments', 'index'],
  ...['output', 'item', 'response', 'summary', 'content_block', 'usage', 'error', 'candidates', 'parts'],
  ...['functionCall', 'partialArgs', 'jsonPath', 'stringValue', 'finishReason', 'usageMetadata', 'text'],
  ...['reasoning_details', 'annotations', 'logprobs', 'groundingMetadata', 'output_index', 'id', 'name'],
];
const TYPES = [
  ...['message_start', 'content_block_start', 'content_block_delta', 'content_block_stop', 'message_delta'],
  ...['text_delta', 'input_json_delta', 'thinking_delta', 'signature_delta', 'text', 'tool_use', 'thinking'],
  ...['response.created', 'response.output_item.added', 'response.output_text.delta', 'response.completed'],
  ...['response.output_item.done', 'response.function_call_arguments.delta', 'function_call', 'reasoning'],
  ...['output_text', 'custom_tool_call', 'web_search_call', 'response.content_part.done'],
];

const leaf = fc.oneof(
  fc.constantFrom<unknown>(null, true, 0, -1, 1e300, '', '[', '{"a":1}', '__proto__'),
  fc.constantFrom(...TYPES),
  fc.string({ maxLength: 5 }),
  fc.integer(),
);

/** Objects that look like events of any protocol and are of none. */
export const someGarbage: fc.Arbitrary<Readonly<Record<string, unknown>>> = fc.letrec((tie) => ({
  value: fc.oneof({ depthSize: 'small', withCrossShrink: true }, leaf, tie('object'), tie('list')),
  list: fc.array(tie('value'), { maxLength: 3 }),
  object: fc
    .tuple(
      fc.option(fc.constantFrom(...TYPES)),
      fc.dictionary(fc.constantFrom(...NAMES), tie('value'), { maxKeys: 4 }),
    )
    .map(([type, rest]) => (type === null ? rest : { ...rest, type })),
})).object as fc.Arbitrary<Readonly<Record<string, unknown>>>;
