import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../../test/support/property-runs.ts';
import { lend } from '../../../test/support/suite/lend.ts';
import type { Protocol } from '../../kernel/protocol-name.ts';
import type { BodyEnd, Framing, RequestFacts, StreamRelay } from '../dialect.ts';
import { getDialect } from '../registry.ts';

const MODEL = 'platform/model';

const FACTS: RequestFacts = {
  model: MODEL,
  stream: true,
  modelRanges: [],
  outputTokensMax: undefined,
  answers: 1,
  images: 0,
  inputTokensEstimate: 0,
  usageInjected: false,
  holdsEnvelope: false,
  usageSplice: undefined,
  edit: false,
};

function createRelay(protocol: Protocol, framing: Framing = 'sse', injected = false): StreamRelay {
  return getDialect(protocol).relayStream(framing, { ...FACTS, usageInjected: injected }, MODEL);
}

function run(
  relay: StreamRelay,
  chunks: readonly Buffer[],
  end?: BodyEnd,
): { output: string; complete: boolean } {
  const output: Buffer[] = [];
  for (const chunk of chunks) output.push(lend(chunk, (lent) => Buffer.from(relay.push(lent) ?? [])));
  const { rest, complete } = relay.finish(end);
  output.push(rest ?? Buffer.alloc(0));
  return { output: Buffer.concat(output).toString(), complete };
}

interface Fixture {
  readonly name: string;
  readonly protocol: Protocol;
  readonly framing?: Framing;
  readonly injected?: boolean;
  /** `MODEL` inside is the vendor's name in the stream and the platform's in what the client gets. */
  readonly events: readonly string[];
  /** Indexes of events that the client does not get. */
  readonly withheld?: readonly number[];
}

const chunk = (rest: string): string =>
  `data: {"id":"c1","object":"chat.completion.chunk","created":1,"model":"«MODEL»",${rest}}\n\n`;

const event = (...data: string[]): string => {
  const name = /"type":"([a-z_.]+)"\}?/.exec(data.join(''))?.[1] ?? 'none';
  return `event: ${name}\ndata: ${data.join('')}\n\n`;
};

const FIXTURES: readonly Fixture[] = [
  {
    name: 'chat',
    protocol: 'chat',
    events: [
      chunk('"choices":[],"prompt_filter_results":[]'),
      ': OPENROUTER PROCESSING\n\n',
      chunk('"choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]'),
      chunk('"choices":[{"index":0,"delta":{"content":"\\"model\\":\\"no\\" é😀 \\\\"},"model":"inner"}]'),
      chunk('"choices":[{"delta":{"tool_calls":[{"function":{"arguments":"{\\"model\\":\\"x\\"}"}}]}}]'),
      chunk('"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]'),
      chunk('"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":5,"total_tokens":14}'),
      'data: [DONE]\n\n',
    ],
  },
  {
    name: 'chat whose usage was asked for by us',
    protocol: 'chat',
    injected: true,
    events: [
      chunk('"choices":[],"prompt_filter_results":[]'),
      chunk('"choices":[{"delta":{"content":"a"}}]'),
      chunk('"choices":[{"delta":{"content":"b"},"finish_reason":"stop"}]'),
      chunk('"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":5,"total_tokens":14}'),
      'data: [DONE]\n\n',
    ],
    withheld: [3],
  },
  {
    name: 'messages',
    protocol: 'messages',
    events: [
      event(
        '{"type":"message_start","message":{"id":"m","model":"«MODEL»","content":[],',
        '"usage":{"input_tokens":9,"output_tokens":1}}}',
      ),
      'event: ping\ndata: {"type": "ping"}\n\n',
      event('{"type":"content_block_start","index":0,"content_block":{"type":"text","model":"inner"}}'),
      event('{"type":"content_block_delta","delta":{"text":"\\"message\\":{\\"model\\":\\"no\\"}"}}'),
      event('{"delta":{"type":"text_delta","text":"late type"},"index":0,"type":"content_block_delta"}'),
      event('{"type":"content_block_stop","index":0}'),
      event('{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":12}}'),
      event('{"type":"message_stop"}'),
    ],
  },
  {
    name: 'responses',
    protocol: 'responses',
    events: [
      event(
        '{"type":"response.created","sequence_number":0,"response":{"id":"r","model":"«MODEL»",',
        '"usage":null,"output":[]}}',
      ),
      event('{"type":"response.output_item.added","item":{"model":"inner"}}'),
      event('{"type":"response.output_text.delta","sequence_number":2,"delta":"\\"model\\":1"}'),
      event(
        '{"response":{"output":[{"model":"inner","text":"{\\"model\\":2}"}],"model":"«MODEL»",',
        '"usage":{"input_tokens":9,"output_tokens":3,"total_tokens":12}},"type":"response.completed",',
        '"sequence_number":3}',
      ),
    ],
  },
  {
    name: 'generate-content',
    protocol: 'gemini',
    events: [
      [
        'data: {"candidates":[{"content":{"parts":[{"text":"modelVersion\\": \\"no"}],"role":"model"}}],',
        '"usageMetadata":{"promptTokenCount":4,"totalTokenCount":4},"modelVersion":"«MODEL»"}\r\n\r\n',
      ].join(''),
      [
        'data: {"candidates": [{"content": {"parts": [{"text": ""}]},"finishReason": "STOP"}],',
        '"usageMetadata": {"promptTokenCount": 4,"candidatesTokenCount": 6},"modelVersion": "«MODEL»"}\r\n\r\n',
      ].join(''),
    ],
  },
  {
    name: 'generate-content as a growing array',
    protocol: 'gemini',
    framing: 'json-array',
    events: [
      '[{"candidates":[{"content":{"parts":[{"text":"}{ ],[ \\" \\\\"}]}}],"modelVersion":"«MODEL»"}\n',
      [
        ',\r\n{"candidates":[{"content":{"parts":[{"functionCall":{"args":{"modelVersion":"no"}}}]},',
        '"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":4,"candidatesTokenCount":6},',
        '"modelVersion":"«MODEL»"}\n',
      ].join(''),
      ']\n',
    ],
  },
  {
    name: 'images',
    protocol: 'images',
    events: [
      event('{"type":"image_generation.partial_image","b64_json":"QUJD","partial_image_index":0}'),
      event(
        '{"type":"image_generation.completed","b64_json":"QUJD",',
        '"usage":{"input_tokens":5,"output_tokens":6,"total_tokens":11}}',
      ),
    ],
  },
];

const named = (text: string, model: string): string => text.replaceAll('«MODEL»', model);

function sent(fixture: Fixture, model: string): Buffer {
  return Buffer.from(named(fixture.events.join(''), model));
}

function expected(fixture: Fixture): string {
  const kept = fixture.events.filter((_, index) => !fixture.withheld?.includes(index));
  return named(kept.join(''), MODEL);
}

const start = (fixture: Fixture): StreamRelay =>
  createRelay(fixture.protocol, fixture.framing, fixture.injected ?? false);

describe.each(FIXTURES)('the stream of $name', (fixture) => {
  const bytes = sent(fixture, 'vendor-model-2026');

  it('reaches the client with the platform’s model name and nothing else changed', () => {
    expect(run(start(fixture), [bytes])).toEqual({ output: expected(fixture), complete: true });
  });

  it('is the same when it is split at every byte, and each event comes in the push that completes it', () => {
    const usage = (relay: StreamRelay): unknown => relay.usage();
    const whole = start(fixture);
    run(whole, [bytes]);
    for (let at = 0; at <= bytes.length; at++) {
      const relay = start(fixture);
      expect(run(relay, [bytes.subarray(0, at), bytes.subarray(at)]).output).toBe(expected(fixture));
      expect(usage(relay)).toEqual(usage(whole));
    }
    const single = start(fixture);
    const pieces = [...bytes].map((byte) => Buffer.from([byte]));
    expect(run(single, pieces)).toEqual({ output: expected(fixture), complete: true });
  });

  it('is the same at any random split', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(bytes.length), { maxLength: 20 }), (at) => {
        const places = [0, ...at.sort((one, other) => one - other), bytes.length];
        const pieces = places.slice(1).map((end, index) => bytes.subarray(places[index], end));
        expect(run(start(fixture), pieces)).toEqual({ output: expected(fixture), complete: true });
      }),
      { numRuns: runs(200) },
    );
  });

  it('passes as the same buffers when the name is already right', () => {
    if (fixture.withheld !== undefined) return;
    const relay = start(fixture);
    // The closing bracket of an array waits for the vendor's end.
    for (const event of fixture.events.filter((text) => text.trim() !== ']')) {
      const buffer = Buffer.from(named(event, MODEL));
      expect(relay.push(buffer)).toBe(buffer);
      expect(relay.atBoundary).toBe(true);
    }
  });

  it('is not complete when it ends at any byte before its terminator', () => {
    const terminator = {
      chat: '[DONE]',
      messages: '_stop"',
      responses: '"sequence_number":3',
      gemini: 'STOP',
      images: 'image_generation.completed"',
    };
    const last = bytes.lastIndexOf(terminator[fixture.protocol as keyof typeof terminator]);
    expect(last).toBeGreaterThan(0);
    for (let at = 0; at <= last; at++) {
      const relay = start(fixture);
      const { complete, output } = run(relay, [bytes.subarray(0, at)], 'closed');
      expect(complete).toBe(false);
      // Whatever was passed on is a beginning of what would have been.
      expect(expected(fixture).startsWith(output.replace(/[\r\n]+$/, ''))).toBe(true);
    }
  });

  it('reports that its first event is data', () => {
    const relay = start(fixture);
    expect(relay.first).toBe('none');
    relay.push(bytes.subarray(0, 10));
    expect(relay.first).toBe('none');
    relay.push(bytes.subarray(10));
    expect(relay.first).toBe('data');
    expect(relay.failed).toBe(false);
  });
});

describe('an error event', () => {
  const errors: readonly (readonly [Protocol, Framing, string])[] = [
    ['chat', 'sse', 'data: {"error":{"message":"boom","type":"server_error"}}\n\n'],
    ['responses', 'sse', 'event: error\ndata: {"type":"error","code":"x","message":"boom"}\n\n'],
    ['responses', 'sse', 'data: {"type":"response.failed","response":{"error":{"message":"boom"}}}\n\n'],
    ['messages', 'sse', 'event: error\ndata: {"type":"error","error":{"message":"boom"}}\n\n'],
    ['gemini', 'sse', 'data: {"error":{"code":503,"message":"boom","status":"UNAVAILABLE"}}\n\n'],
    ['gemini', 'json-array', '[{"error":{"code":503,"message":"boom","status":"UNAVAILABLE"}}]'],
    ['images', 'sse', 'event: error\ndata: {"type":"error","error":{"message":"boom"}}\n\n'],
  ];
  it.each(errors)('of %s in %s is seen as the first event, with its text', (protocol, framing, text) => {
    const relay = createRelay(protocol, framing);
    relay.push(Buffer.from(`${framing === 'sse' ? ': comment\n\n' : ''}${text}`));
    expect(relay.first).toBe('error');
    expect(relay.firstError).toContain('boom');
  });

  it('makes the stream incomplete even when a terminator follows', () => {
    const relay = createRelay('chat');
    const { complete } = run(relay, [
      Buffer.from('data: {"choices":[]}\n\ndata: {"error":{"message":"boom"}}\n\ndata: [DONE]\n\n'),
    ]);
    expect(relay.first).toBe('data');
    expect(relay).toMatchObject({ failed: true, terminated: true });
    expect(complete).toBe(false);
  });

  it.each(errors)('of %s in %s is the last that is passed on', (protocol, framing, text) => {
    const isArray = framing === 'json-array';
    const before = isArray ? '[{"candidates":[]}' : 'data: {"type":"x","model":"v"}\n\n';
    const error = isArray ? `\n,${text.slice(1, -1)}` : text;
    const after = isArray
      ? ',{"candidates":[{"finishReason":"STOP"}]}]'
      : 'data: {"choices":[]}\n\ndata: [DONE]\n\n';
    const kept = `${before}${error}${isArray ? ']' : ''}`;
    const whole = before + error + after;
    for (let size = 1; size <= whole.length; size++) {
      const relay = getDialect(protocol).relayStream(framing, FACTS, 'v');
      const pieces: Buffer[] = [];
      for (let at = 0; at < whole.length; at += size) pieces.push(Buffer.from(whole.slice(at, at + size)));
      expect(run(relay, pieces), `in pieces of ${size}`).toEqual({ output: kept, complete: false });
    }
  });

  it('is no error when the error is null', () => {
    const relay = createRelay('chat');
    relay.push(Buffer.from('data: {"choices":[],"error":null}\n\n'));
    expect(relay.failed).toBe(false);
  });
});

describe('a terminator', () => {
  it.each(['response.completed', 'response.incomplete'])('is %s in a Responses stream', (type) => {
    const data = `data: {"type":"${type}","response":{"model":"x"}}\n\n`;
    expect(run(createRelay('responses'), [Buffer.from(data)]).complete).toBe(true);
  });

  it('is a blocked prompt in a generateContent stream', () => {
    const data = 'data: {"promptFeedback":{"blockReason":"SAFETY"},"modelVersion":"x"}\n\n';
    expect(run(createRelay('gemini'), [Buffer.from(data)]).complete).toBe(true);
  });

  it('is not an empty or missing finish reason', () => {
    for (const reason of ['""', 'null']) {
      const data = `data: {"candidates":[{"finishReason":${reason}},{"x":{"finishReason":"STOP"}}]}\n\n`;
      expect(run(createRelay('gemini'), [Buffer.from(data)]).complete).toBe(false);
    }
  });

  it('is not an unclosed array', () => {
    const data = '[{"candidates":[{"finishReason":"STOP"}]}';
    expect(run(createRelay('gemini', 'json-array'), [Buffer.from(data)])).toEqual({
      output: data,
      complete: false,
    });
  });

  it('is not [DONE] inside content', () => {
    const data = 'data: {"choices":[{"delta":{"content":"data: [DONE]\\n\\n"}}]}\n\n';
    expect(run(createRelay('chat'), [Buffer.from(data)]).complete).toBe(false);
  });
});

describe('an unusual stream', () => {
  it('with a model in several data lines has it replaced in its line', () => {
    const data = 'data: {"choices":[],\ndata: "model":"x",\ndata: "z":1}\n\n';
    expect(run(createRelay('chat'), [Buffer.from(data)]).output).toBe(data.replace('"x"', `"${MODEL}"`));
  });

  it('with chunks that begin alike but differ is walked again', () => {
    const begin = 'data: {"id":"c","model":"v",';
    const events = ['"choices":[]}', '"choices":[],"model":"w"}', '"x":{"model":"v"}}', '"usage":null}'];
    const relay = createRelay('chat');
    const outputs = events.map((event) => relay.push(Buffer.from(`${begin}${event}\n\n`))?.toString());
    expect(outputs).toEqual([
      `data: {"id":"c","model":"${MODEL}","choices":[]}\n\n`,
      `data: {"id":"c","model":"v","choices":[],"model":"${MODEL}"}\n\n`,
      `data: {"id":"c","model":"${MODEL}","x":{"model":"v"}}\n\n`,
      `data: {"id":"c","model":"${MODEL}","usage":null}\n\n`,
    ]);
  });

  it('with data that is not JSON passes unchanged', () => {
    for (const protocol of ['chat', 'responses', 'messages', 'gemini', 'images'] as const) {
      const data = 'data: hello\n\ndata: {"model":\n\ndata: {"a" 1}\n\ndata: [1]\n\ndata:\n\n';
      const relay = createRelay(protocol);
      expect(run(relay, [Buffer.from(data)]).output).toBe(data);
      expect(relay.first).toBe('data');
    }
  });

  it('of HTML has no event', () => {
    const relay = createRelay('chat');
    expect(run(relay, [Buffer.from('<html>oops</html>')])).toEqual({ output: '', complete: false });
    expect(relay.first).toBe('none');
  });

  it('of any bytes never throws', () => {
    const token = fc.constantFrom(
      'data: ',
      '{',
      '}',
      '"model"',
      ':',
      '"',
      '\\',
      '[',
      ']',
      ',',
      '\n',
      '\r',
      'x',
      '"usage"',
      'null',
      '1',
    );
    fc.assert(
      fc.property(fc.array(token, { maxLength: 60 }), fc.constantFrom(...FIXTURES), (tokens, fixture) => {
        const relay = start(fixture);
        run(
          relay,
          tokens.map((text) => Buffer.from(text)),
        );
        relay.usage();
        expect(relay.overflowed).toBe(false);
      }),
      { numRuns: runs(2000) },
    );
  });
});
