import { describe, expect, it } from 'vitest';
import type { Json } from '../../sim/request/json.ts';
import { isRefusal } from '../../src/kernel/errors.ts';
import { convertRequest, readClientRequest } from '../../src/protocol/convert/convert.ts';
import type { TextProtocol } from '../../src/protocol/hub/protocol.ts';
import { IDENTITY, rawRequest, targetOf } from './recorded/pass.ts';
import { MODELS, refusedBySimulator } from './specs/simulator.ts';

const call = (name: string, q: number, id?: string): object => ({ functionCall: { name, args: { q }, id } });
const result = (name: string, output: string, id?: string): object => ({
  functionResponse: { name, response: { output }, id },
});
const content = (role: string | undefined, ...parts: object[]): object => ({ role, parts });
const question = content('user', { text: 'question' });
const goOn = content('user', { text: 'go on' });

/** Histories in which calls and results stand in one content, and the rounds that they mean. */
const HISTORIES: readonly (readonly [string, readonly object[], readonly (readonly string[])[]])[] = [
  ['in a model turn', [question, content('model', call('f', 1), result('f', 'r1')), goOn], [['f1 r1']]],
  ['in a user turn', [question, content('user', call('f', 1), result('f', 'r1')), goOn], [['f1 r1']]],
  ['without a role', [question, content(undefined, call('f', 1), result('f', 'r1')), goOn], [['f1 r1']]],
  [
    'behind the question',
    [content('user', { text: 'question' }, call('f', 1), result('f', 'r1')), goOn],
    [['f1 r1']],
  ],
  [
    'several pairs, one after the other',
    [question, content('model', call('f', 1), result('f', 'r1'), call('f', 2), result('f', 'r2')), goOn],
    [['f1 r1'], ['f2 r2']],
  ],
  [
    'several calls, then their results in another order',
    [question, content('model', call('f', 1), call('g', 2), result('g', 'r2'), result('f', 'r1')), goOn],
    [['f1 r1', 'g2 r2']],
  ],
  [
    'results by id in another order, of one function',
    [
      question,
      content('model', call('f', 1, 'a'), call('f', 2, 'b'), result('f', 'r2', 'b'), result('f', 'r1', 'a')),
      goOn,
    ],
    [['f1 r1', 'f2 r2']],
  ],
  [
    'a result before its call',
    [question, content('model', result('f', 'r1', 'a'), call('f', 1, 'a')), goOn],
    [['f1 r1']],
  ],
  [
    'the result with the next call',
    [
      question,
      content('model', call('f', 1)),
      content('user', result('f', 'r1'), call('g', 2)),
      content('user', result('g', 'r2')),
    ],
    [['f1 r1'], ['g2 r2']],
  ],
  [
    'with words, thoughts and code between them',
    [
      question,
      content(
        'model',
        { text: 'thinking', thought: true },
        { text: 'first' },
        { executableCode: { language: 'PYTHON', code: 'print(1)' } },
        { codeExecutionResult: { outcome: 'OUTCOME_OK', output: '1' } },
        call('f', 1),
        result('f', 'r1'),
        { text: 'then' },
      ),
      goOn,
    ],
    [['f1 r1']],
  ],
];

/** The rounds of a vendor's body: each call with what stands in the result that is its own. */
const ROUNDS: Readonly<Record<Exclude<TextProtocol, 'gemini'>, (body: Json) => unknown>> = {
  chat: ({ messages }) =>
    rounds(
      list(messages).map(({ tool_calls, tool_call_id, content: told }) => [
        list(tool_calls).map(({ id, function: f }) => [id, `${of(f).name}${argument(of(f).arguments)}`]),
        tool_call_id === undefined ? [] : [[tool_call_id, told]],
      ]),
    ),
  responses: ({ input }) =>
    rounds(
      list(input).map(({ type, call_id, name, arguments: args, output }) => [
        type === 'function_call' ? [[call_id, `${name}${argument(args)}`]] : [],
        type === 'function_call_output' ? [[call_id, output]] : [],
      ]),
    ),
  messages: ({ messages }) =>
    rounds(
      list(messages).map(({ content: blocks }) => [
        list(blocks)
          .filter(({ type }) => type === 'tool_use')
          .map(({ id, name, input }) => [id, `${name}${of(input).q}`]),
        list(blocks)
          .filter(({ type }) => type === 'tool_result')
          .map((one) => [one.tool_use_id, one.content]),
      ]),
    ),
};

type Said = readonly (readonly [unknown, unknown])[];

/** Calls that follow each other are of one round; a result ends it. */
function rounds(turns: readonly (readonly unknown[][])[]): unknown {
  const found: Map<unknown, string>[] = [];
  let isOpen = false;
  for (const [calls, results] of turns as unknown as readonly (readonly [Said, Said])[]) {
    if (calls.length > 0 && !isOpen) found.push(new Map());
    if (calls.length > 0) isOpen = true;
    for (const [id, name] of calls) found.at(-1)?.set(id, String(name));
    for (const [id, told] of results) found.at(-1)?.set(id, `${found.at(-1)?.get(id)} ${told}`);
    if (results.length > 0) isOpen = false;
  }
  return found.map((round) => [...round.values()]);
}

const list = (value: unknown): readonly Json[] => (Array.isArray(value) ? value : []);
const of = (value: unknown): Json => (value ?? {}) as Json;
const argument = (text: unknown): unknown => JSON.parse(String(text)).q;

describe('a Google turn with calls and results together', () => {
  const targets = ['chat', 'responses', 'messages'] as const;
  const cases = HISTORIES.flatMap(([name, contents, wanted]) =>
    targets.map((target) => ({ name, contents, wanted, target })),
  );
  it.each(cases)('$name: every result reaches $target with its call', ({ contents, wanted, target }) => {
    const functionDeclarations = [{ name: 'f' }, { name: 'g' }];
    const body = { contents, tools: [{ functionDeclarations }] };
    const read = readClientRequest('gemini', rawRequest('gemini', body, false));
    if (isRefusal(read)) throw new Error(read.message);
    for (const model of MODELS[target]) {
      const conversion = convertRequest(read, targetOf(target, model), IDENTITY);
      if (isRefusal(conversion)) throw new Error(conversion.message);
      const sent = JSON.parse(conversion.body.toString()) as Json;
      expect(ROUNDS[target](sent)).toEqual(wanted);
      expect(refusedBySimulator(target, model, sent)).toBeUndefined();
      expect(conversion.body.toString()).not.toContain('no result');
    }
  });
});
