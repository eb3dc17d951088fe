import { describe, expect, it } from 'vitest';
import { someRequest, someSession, someUsage } from '../../../../test/support/hub.ts';
import type { JsonObject } from '../../hub/content/json.ts';
import type { HubEvent } from '../../hub/event.ts';
import { openDecoder } from '../../suite/reported.ts';
import { chatCodec } from '../codec.ts';

const session = someSession({ request: someRequest({ stream: true, includeUsage: true }) });
const USAGE = someUsage();

function decode(...events: JsonObject[]): HubEvent[] {
  const decoded: HubEvent[] = [];
  const decoder = openDecoder(chatCodec, session, (event) => decoded.push(event));
  for (const event of events) decoder.push(event);
  decoder.finish();
  return decoded;
}

const chunk = (delta: JsonObject, finish: string | null = null): JsonObject => ({
  id: 'v',
  choices: [{ index: 0, delta, finish_reason: finish }],
});
const fragment = (index: number | undefined, more: JsonObject): JsonObject =>
  chunk({ tool_calls: [{ ...(index === undefined ? {} : { index }), ...more }] });

/** Events in short: what opens, what is said, what ends. */
function brief(events: readonly HubEvent[]): readonly string[] {
  return events.map((event) => {
    if (event.kind === 'part')
      return event.head.kind === 'tool-call' ? `+${event.head.name}` : `+${event.head.kind}`;
    if (event.kind === 'delta') return event.text;
    if (event.kind === 'part-end') return '-';
    return event.kind === 'finish' ? `finish ${event.finish.reason}` : event.kind;
  });
}

describe("a vendor's stream", () => {
  it('opens, fills and ends each part, and gives its finish reason last', () => {
    const events = decode(
      chunk({ role: 'assistant', content: '', refusal: null }),
      chunk({ reasoning_content: 'why' }),
      chunk({ reasoning_content: null, content: 'a' }),
      chunk({ content: 'b' }),
      fragment(0, { id: 'c', type: 'function', function: { name: 'f', arguments: '' } }),
      fragment(0, { function: { arguments: '{"x"' } }),
      fragment(0, { function: { arguments: ':1}' } }),
      chunk({}, 'tool_calls'),
      {
        id: 'v',
        choices: [],
        usage: {
          prompt_tokens: 10,
          completion_tokens: 10,
          completion_tokens_details: { reasoning_tokens: 3 },
        },
      },
    );
    expect(brief(events)).toEqual([
      'start',
      ...['+reasoning', 'why', '-'],
      ...['+text', 'a', 'b', '-'],
      ...['+f', '{"x"', ':1}'],
      'usage',
      ...['-', 'finish tool', 'end'],
    ]);
    expect(events[0]).toEqual({ kind: 'start', id: 'v', usage: undefined });
    expect(events).toContainEqual({ kind: 'usage', usage: USAGE });
    expect(events).toContainEqual({
      kind: 'part',
      choice: 0,
      head: { kind: 'tool-call', id: 'c', name: 'f', custom: false },
    });
  });

  it('puts interleaved calls in order without loss', () => {
    const events = decode(
      fragment(0, { id: 'a', function: { name: 'f', arguments: '' } }),
      fragment(1, { id: 'b', function: { name: 'g', arguments: '' } }),
      fragment(0, { function: { arguments: '{"p":"}' } }),
      fragment(1, { function: { arguments: '{"q"' } }),
      chunk({ content: 'late' }),
      fragment(0, { function: { arguments: '\\""}' } }),
      fragment(1, { function: { arguments: ':2}' } }),
    );
    expect(brief(events)).toEqual([
      'start',
      ...['+f', '{"p":"}', '\\""}', '-'],
      ...['+g', '{"q"', ':2}', '-'],
      ...['+text', 'late', '-'],
      ...['finish tool', 'end'],
    ]);
  });

  it('streams calls one after the other as they come', () => {
    const seen: HubEvent[] = [];
    const decoder = openDecoder(chatCodec, session, (event) => seen.push(event));
    decoder.push(fragment(0, { id: 'a', function: { name: 'f', arguments: '{}' } }));
    decoder.push(fragment(1, { id: 'b', function: { name: 'g', arguments: '{"x' } }));
    expect(brief(seen)).toEqual(['start', '+f', '{}', '-', '+g', '{"x']);
  });

  it('separates calls that have no index, or all the same one', () => {
    const whole = (index: number | undefined, id: string, name: string): JsonObject =>
      fragment(index, { id, function: { name, arguments: '{"a":1}' } });
    const expected = ['start', '+f', '{"a":1}', '-', '+f', '{"a":1}', '-', 'finish tool', 'end'];
    expect(brief(decode(whole(0, 'a', 'f'), whole(0, 'b', 'f')))).toEqual(expected);
    expect(brief(decode(whole(undefined, 'a', 'f'), whole(undefined, 'b', 'f')))).toEqual(expected);
    expect(brief(decode(whole(undefined, '', 'f'), whole(undefined, '', 'f')))).toEqual(expected);
  });

  it('waits for the name of a call, and takes repeated names as one call', () => {
    const events = decode(
      fragment(0, { id: 'a', function: { arguments: '{' } }),
      fragment(0, { id: 'a', function: { name: 'f', arguments: '"x":' } }),
      fragment(0, { id: 'a', function: { name: 'f', arguments: '1}' } }),
    );
    expect(brief(events)).toEqual(['start', '+f', '{', '"x":', '1}', '-', 'finish tool', 'end']);
  });

  it('keeps calls without arguments, custom calls and legacy function calls', () => {
    expect(brief(decode(fragment(0, { id: 'a', function: { name: 'f', arguments: '' } })))).toEqual([
      'start',
      ...['+f', '-', 'finish tool', 'end'],
    ]);
    const custom = decode(fragment(0, { id: 'a', type: 'custom', custom: { name: 'p', input: 'x' } }));
    expect(custom[1]).toMatchObject({ head: { kind: 'tool-call', name: 'p', custom: true } });
    const old = decode(
      chunk({ function_call: { name: 'f', arguments: '{' } }),
      chunk({ function_call: { arguments: '}' } }),
    );
    expect(brief(old)).toEqual(['start', '+f', '{', '}', '-', 'finish tool', 'end']);
  });

  it('keeps signatures of thinking with the thinking they belong to', () => {
    const detail = (more: JsonObject): JsonObject => ({
      type: 'reasoning.text',
      format: 'x',
      index: 0,
      ...more,
    });
    const events = decode(
      chunk({ content: '', reasoning: null, reasoning_details: [detail({ text: '', signature: '' })] }),
      chunk({ reasoning: 'why', reasoning_details: [detail({ text: 'why' })] }),
      chunk({ reasoning_details: [detail({ signature: 'sig' })] }),
      chunk({ reasoning: 'more' }),
      chunk({ content: 'so' }),
    );
    expect(brief(events)).toEqual([
      'start',
      ...['+reasoning', 'why', 'signature', '-'],
      ...['+reasoning', 'more', '-'],
      ...['+text', 'so', '-', 'finish stop', 'end'],
    ]);
    expect(events[3]).toMatchObject({
      signature: {
        issuer: session.target.issuer,
        place: 'reasoning',
        value: JSON.stringify(detail({ signature: 'sig' })),
      },
    });
  });

  it('keeps citations, log probabilities, pictures and refusals', () => {
    const url_citation = { url: 'u', title: 'T', start_index: 0, end_index: 2 };
    const logprobs = { content: [{ token: 'ab', logprob: -1, bytes: null, top_logprobs: [] }] };
    const events = decode(
      { choices: [{ index: 0, delta: { content: 'ab' }, logprobs }] },
      chunk({ annotations: [{ type: 'url_citation', url_citation }] }),
      chunk({ images: [{ image_url: { url: 'data:image/png;base64,AAAA' } }] }),
      chunk({ refusal: 'no' }, 'stop'),
    );
    expect(events.filter(({ kind }) => kind !== 'part-end').slice(1)).toEqual([
      { kind: 'part', choice: 0, head: { kind: 'text' } },
      { kind: 'delta', choice: 0, text: 'ab', logprobs: [{ token: 'ab', logprob: -1, top: [] }] },
      { kind: 'citation', choice: 0, citation: { url: 'u', title: 'T', start: 0, end: 2 } },
      { kind: 'part', choice: 0, head: { kind: 'image', mime: 'image/png', base64: 'AAAA' } },
      { kind: 'part', choice: 0, head: { kind: 'refusal' } },
      { kind: 'delta', choice: 0, text: 'no' },
      { kind: 'finish', choice: 0, finish: { reason: 'refusal' } },
      { kind: 'end' },
    ]);
  });

  it('keeps several choices apart', () => {
    const of = (index: number, content: string): JsonObject => ({ choices: [{ index, delta: { content } }] });
    const events = decode(of(0, 'a'), of(1, 'b'), of(0, 'c'));
    const said = events
      .filter((event) => event.kind === 'delta')
      .map(({ choice, text }) => `${choice}${text}`);
    expect(said).toEqual(['0a', '1b', '0c']);
    expect(events.filter(({ kind }) => kind === 'finish')).toHaveLength(2);
  });

  it('without content is an empty answer', () => {
    expect(brief(decode())).toEqual(['start', 'finish stop', 'end']);
  });

  it('that fails emits the error and nothing more', () => {
    const events = decode(
      chunk({ content: 'a' }),
      { error: { message: 'm', code: 503 } },
      chunk({ content: 'b' }),
    );
    expect(brief(events)).toEqual(['start', '+text', 'a', 'error']);
    expect(events[3]).toMatchObject({ error: { status: 503, message: 'm' } });
  });

  it.each([
    {},
    { choices: [7, null, {}] },
    {
      choices: [
        { index: 'x', delta: { content: 'a' } },
        { index: 1e9, delta: { content: 'a' } },
      ],
    },
    {
      choices: [
        { delta: { content: 7, tool_calls: [7, {}, { index: 'a', function: 7 }], annotations: [7] } },
      ],
    },
    { choices: [{ delta: { content: [7, {}], images: [{}], audio: 7, refusal: {}, extra_content: [] } }] },
  ])('with %j in it is read without an exception', (event) => {
    expect(brief(decode(event as unknown as JsonObject))).toContain('end');
  });
});
