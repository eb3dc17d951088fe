import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../../../test/support/property-runs.ts';
import { Inexpressible } from '../hub/notes.ts';
import { decodeWhole } from '../suite/reported.ts';
import { responsesCodec } from './codec.ts';
import { collect } from './suite/collect.ts';
import { decode, decodeEvents, encodeEvents, OWN, parse, payloads } from './suite/world.ts';

const TYPES = [
  ...[
    'message',
    'reasoning',
    'function_call',
    'function_call_output',
    'custom_tool_call',
    'additional_tools',
  ],
  ...['local_shell_call', 'local_shell_call_output', 'shell_call', 'shell_call_output', 'apply_patch_call'],
  ...['apply_patch_call_output', 'tool_search_call', 'tool_search_output', 'web_search_call', 'mcp_call'],
  ...[
    'code_interpreter_call',
    'file_search_call',
    'image_generation_call',
    'compaction',
    'function',
    'custom',
  ],
  ...['namespace', 'local_shell', 'tool_search', 'output_text', 'refusal', 'input_image', 'input_file'],
];
const KEYS = [
  ...['role', 'content', 'name', 'call_id', 'arguments', 'input', 'output', 'tools', 'action', 'summary'],
  ...['id', 'text', 'encrypted_content', 'execution', 'environment', 'annotations', 'image_url', 'result'],
  ...[
    'file_data',
    'status',
    'operation',
    'queries',
    'results',
    'namespace',
    'parameters',
    'commands',
    'logs',
  ],
];
const word = fc.constantFrom('user', 'assistant', 'developer', 'client', 'data:;base64,', 'x', '', '{}');

/** Values that look like items of the protocol as often as not. */
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(null, true, 7, -1.5),
    word,
    fc.array(tie('value'), { maxLength: 3 }),
    tie('item'),
  ),
  item: fc
    .tuple(fc.constantFrom(...TYPES), fc.dictionary(fc.constantFrom(...KEYS), tie('value'), { maxKeys: 6 }))
    .map(([type, fields]) => ({ type, ...fields })),
}));

describe('untrusted input', () => {
  test('of a client is decoded or refused, and never throws', () => {
    fc.assert(
      fc.property(fc.array(value, { maxLength: 4 }), fc.array(value, { maxLength: 3 }), (input, tools) => {
        try {
          expect(decode({ input, tools }).request.client).toBe('responses');
        } catch (error) {
          expect(error).toBeInstanceOf(Inexpressible);
        }
      }),
      { numRuns: runs(1_000) },
    );
  });

  test('of a vendor is decoded', () => {
    fc.assert(
      fc.property(fc.array(value, { maxLength: 4 }), (output) => {
        const body = parse({ status: 'completed', output });
        expect(decodeWhole(responsesCodec, body, OWN)).toHaveProperty('choices');
      }),
      { numRuns: runs(500) },
    );
  });

  test('in a stream keeps the order of events, and the client gets a complete stream', () => {
    const index = fc.constantFrom(0, 1, 2, undefined, 'x');
    const kind = fc.constantFrom(
      ...['output_item.added', 'output_item.done', 'output_text.delta', 'refusal.delta', 'content_part.done'],
      ...['function_call_arguments.delta', 'function_call_arguments.done', 'custom_tool_call_input.delta'],
      ...['reasoning_summary_text.delta', 'reasoning_text.delta', 'output_text.annotation.added', 'created'],
    );
    const event = fc
      .record({
        kind,
        output_index: index,
        content_index: index,
        delta: word,
        item: value,
        part: value,
        arguments: word,
      })
      .map(({ kind: type, ...fields }) => ({ type: `response.${type}`, ...fields }));
    fc.assert(
      fc.property(fc.array(event, { maxLength: 12 }), (events) => {
        const last = { type: 'response.completed', response: { status: 'completed' } };
        const decoded = decodeEvents([...events, last]);
        expect(collect(decoded).isEnded).toBe(true);
        expect(payloads(encodeEvents(decoded)).at(-1)?.type).toBe('response.completed');
      }),
      { numRuns: runs(1_000) },
    );
  });
});
