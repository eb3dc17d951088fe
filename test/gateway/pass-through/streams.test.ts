import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loggedCall } from '../logged-call.ts';
import { byteByByte } from './recording-vendor.ts';
import {
  CHAT,
  GENERATE,
  IMAGES,
  MESSAGES,
  PLATFORM_MODEL,
  RESPONSES,
  type RecordedWorld,
  type Shape,
  startRecordedWorld,
  VENDOR_MODEL,
  withModel,
} from './shapes.ts';

let world: RecordedWorld;
beforeAll(async () => {
  world = await startRecordedWorld();
});
afterAll(() => world.close());

const SSE = { 'content-type': 'text/event-stream; charset=utf-8' };
const ODD = '"2":1,"1":2,"big":9007199254740993,"one":1.0,"e":"\\u00e9\\/é😀",  "dup":1,"dup":2';

interface StreamCase {
  readonly shape: Shape;
  /** As the vendor sends it; `MODEL` is what is replaced. */
  readonly text: string;
}

/** Streams as the vendors really write them, and worse. All of them end as rule I-34 says. */
const CASES: readonly StreamCase[] = [
  {
    shape: CHAT,
    text:
      ': OPENROUTER PROCESSING\n\n' +
      `data: {"id":"c","model":"MODEL",${ODD},"choices":[{"index":0,"delta":{"role":"assistant"}}],"usage":{}}\n\n` +
      'data:{"model":"MODEL","choices":[{"delta":{"content":"\\"model\\":\\"inner\\""}}],"obfuscation":"aX"}\n\n' +
      ': comment between\n: and another\n\n' +
      'id: 7\nretry: 10\nevent: odd\ndata: {"choices":[{"delta":{},"finish_reason":"stop"}],"model" :"MODEL" }\n\n' +
      'data: {"model":"MODEL","choices":[{"delta":{}}],"usage":{"prompt_tokens":5,"completion_tokens":2}}\n\n' +
      'data: [DONE]\n\n',
  },
  {
    shape: RESPONSES,
    text:
      'event: response.created\n' +
      `data: {"type":"response.created","response":{${ODD},"model":"MODEL","usage":null},"sequence_number":0}\n\n` +
      'event: keepalive\ndata: {"type":"keepalive"}\n\n' +
      'event: response.output_text.delta\n' +
      'data: {"type":"response.output_text.delta","delta":"é😀","model":"untouched","obfuscation":"x"}\n\n' +
      'data: {"type":"response.completed","response":{"output":[{"model":"untouched"}],"model":"MODEL",' +
      '"usage":{"input_tokens":3,"output_tokens":4}},"sequence_number":3}\n\n',
  },
  {
    shape: MESSAGES,
    text:
      'event: message_start\n' +
      `data: {"type":"message_start","message":{${ODD},"model":"MODEL","usage":{"input_tokens":3}}          }\n\n` +
      'event: ping\ndata: {"type": "ping"}\n\n' +
      'event: content_block_delta\n' +
      'data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"é😀"}     }\n\n' +
      'event: unknown_thing\ndata: {"type":"unknown_thing","model":"untouched"}\n\n' +
      'event: message_delta\ndata: {"type":"message_delta","delta":{},"usage":{"output_tokens":4}}\n\n' +
      'event: message_stop\ndata: {"type":"message_stop"   }\n\n',
  },
  {
    shape: GENERATE,
    text:
      `data: {${ODD},"candidates": [{"content": {"parts": [{"text": "é😀"}]}}],"modelVersion": "MODEL"}\n\n` +
      'data: {"modelVersion": "MODEL","candidates": [{"finishReason": "STOP"}],' +
      '"usageMetadata": {"promptTokenCount": 3,"candidatesTokenCount": 4,"totalTokenCount": 7}}\n\n',
  },
  {
    shape: IMAGES,
    text:
      'event: image_generation.partial_image\n' +
      'data: {"type":"image_generation.partial_image","b64_json":"QUJD","partial_image_index":0}\n\n' +
      `event: image_generation.completed\ndata: {"type":"image_generation.completed",${ODD},"model":"MODEL",` +
      '"b64_json":"QUJD","usage":{"input_tokens":3,"output_tokens":4}}\n\n',
  },
];

const LINE_ENDS: readonly (readonly [string, string])[] = [
  ['LF', '\n'],
  ['CRLF', '\r\n'],
  ['CR', '\r'],
];

async function stream(shape: Shape, bytes: Buffer, pieces = [bytes], pauseMs = 0): Promise<Buffer> {
  world.vendor.say({ headers: SSE, pieces, pauseMs });
  // The client asks for usage itself, so that nothing is withheld from it.
  const options = shape === CHAT ? '"stream_options":{"include_usage":true},' : '';
  const body = `{${shape.streamMember}${options}"model":"${PLATFORM_MODEL}"}`;
  const response = await world.post(shape.streamPath, body);
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe(SSE['content-type']);
  return Buffer.from(await response.arrayBuffer());
}

describe('a stream of the same protocol passes byte for byte, except the value of model', () => {
  for (const { shape, text } of CASES) {
    for (const [name, lineEnd] of LINE_ENDS) {
      it(`${shape.name}: with ${name}, cut at every byte`, async () => {
        const written = text.replaceAll('\n', lineEnd);
        const sent = withModel(written, VENDOR_MODEL);
        const received = await stream(shape, sent, byteByByte(sent));
        expect(received.toString('latin1')).toBe(withModel(written, PLATFORM_MODEL).toString('latin1'));
        expect(world.vendor.heard().url).toBe(shape.vendorStreamPath);
      });
    }

    it(`${shape.name}: each event, and each comment before the first, in a read of its own`, async () => {
      const sent = withModel(text, VENDOR_MODEL);
      const pieces = text.split(/(?<=\n\n)/).map((event) => withModel(event, VENDOR_MODEL));
      const received = await stream(shape, sent, pieces, 5);
      expect(received.toString('latin1')).toBe(withModel(text, PLATFORM_MODEL).toString('latin1'));
    });

    it(`${shape.name}: with a byte order mark, in one piece and byte by byte`, async () => {
      const sent = withModel(`\uFEFF${text}`, VENDOR_MODEL);
      const expected = withModel(`\uFEFF${text}`, PLATFORM_MODEL).toString('latin1');
      expect((await stream(shape, sent)).toString('latin1')).toBe(expected);
      expect((await stream(shape, sent, byteByByte(sent))).toString('latin1')).toBe(expected);
    });

    it(`${shape.name}: with data over several lines, the model on one of them`, async () => {
      // A line end may stand wherever JSON has blanks; the standard joins such lines again.
      const folded = text.replace(
        /"(model|modelVersion)" ?: ?"MODEL"/g,
        '\ndata: "$1" :\ndata:"MODEL"\ndata: ',
      );
      const sent = withModel(folded, VENDOR_MODEL);
      const expected = withModel(folded, PLATFORM_MODEL).toString('latin1');
      expect((await stream(shape, sent)).toString('latin1')).toBe(expected);
      expect((await stream(shape, sent, byteByByte(sent))).toString('latin1')).toBe(expected);
    });
  }

  it('generate-content: as a JSON array when the client did not request events', async () => {
    const array =
      '[{"candidates": [{"content": {"parts": [{"text": "a ]}, [{ b"}]}}],"modelVersion": "MODEL"}\n,\r\n' +
      `{${ODD},"candidates":[{"finishReason":"STOP"}],"modelVersion":"MODEL"}\n]\n`;
    const sent = withModel(array, VENDOR_MODEL);
    world.vendor.say({ pieces: byteByByte(sent) });
    const path = `/v1beta/models/${PLATFORM_MODEL}:streamGenerateContent`;
    const response = await world.post(path, '{"contents":[]}');
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(await response.text()).toBe(withModel(array, PLATFORM_MODEL).toString());
    expect(world.vendor.heard().url).toBe(`/v1beta/models/${VENDOR_MODEL}:streamGenerateContent`);
  });
});

describe('the usage chunk of a Chat Completions stream', () => {
  const head = 'data: {"model":"MODEL","choices":[{"delta":{"content":"a"}}],"usage":null}\n\n';
  const bare = 'data: {"model":"MODEL","choices":[{"delta":{"content":"a"}}]}\n\n';
  const usage = 'data: {"model":"MODEL","choices":[],"usage":{"prompt_tokens":5,"completion_tokens":2}}\n\n';
  const done = 'data: [DONE]\n\n';

  async function ask(options: string, pieces: (bytes: Buffer) => Buffer[]): Promise<string> {
    const sent = withModel(head + usage + done, VENDOR_MODEL);
    world.vendor.say({ headers: SSE, pieces: pieces(sent) });
    const response = await world.post(CHAT.path, `{"stream":true,${options}"model":"${PLATFORM_MODEL}"}`);
    return await response.text();
  }

  const CUTS: readonly (readonly [string, (bytes: Buffer) => Buffer[]])[] = [
    ['in one piece', (bytes) => [bytes]],
    ['cut at every byte', byteByByte],
  ];

  for (const [how, pieces] of CUTS) {
    it(`is withheld when only the gateway requested it, ${how}`, async () => {
      expect(await ask('', pieces)).toBe(withModel(bare + done, PLATFORM_MODEL).toString());
    });

    it(`is passed on when the client requested it, ${how}`, async () => {
      const received = await ask('"stream_options":{"include_usage":true},', pieces);
      expect(received).toBe(withModel(head + usage + done, PLATFORM_MODEL).toString());
    });
  }

  it('is charged although the client does not see it', async () => {
    world.vendor.say({ headers: SSE, pieces: [withModel(head + usage + done, VENDOR_MODEL)] });
    const response = await world.post(CHAT.path, `{"stream":true,"model":"${PLATFORM_MODEL}"}`);
    await response.text();
    const row = await loggedCall(world, response.headers.get('x-request-id'));
    // 5 tokens at 10 yuan per million, 2 at 30.
    expect(row).toMatchObject({ input_fresh: 5n, output_text: 2n, amount_micro: 110n, estimated: false });
  });
});

describe('a stream that the vendor ends without its terminator', () => {
  for (const { shape, text } of CASES) {
    it(`${shape.name}: carries one error of the gateway and ends with a reset, never cleanly`, async () => {
      const whole = withModel(text, VENDOR_MODEL);
      const events = text.split('\n\n').slice(0, -2);
      const cut = withModel(`${events.join('\n\n')}\n\ndata: {"half`, VENDOR_MODEL);
      expect(cut.length).toBeLessThan(whole.length);
      world.vendor.say({ headers: SSE, pieces: [cut] });
      const response = await world.post(
        shape.streamPath,
        `{${shape.streamMember}"model":"${PLATFORM_MODEL}"}`,
      );
      const { received, ended } = await readUntilEnd(response);
      expect(ended).toBe('reset');
      expect(received).toContain('The upstream could not be reached or broke off');
      expect(received).not.toContain('"half');
      expect(received).not.toContain('[DONE]');
    });
  }
});

describe('a Chat Completions vendor without [DONE]', () => {
  const text =
    'data: {"model":"MODEL","choices":[{"index":0,"delta":{"content":"a"}}]}\n\n' +
    'data: {"model":"MODEL","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n' +
    'data: {"model":"MODEL","choices":[],"usage":{"prompt_tokens":5,"completion_tokens":2}}\n\n';
  const ask = (more = ''): Promise<Response> =>
    world.post(CHAT.path, `{"stream":true,${more}"model":"${PLATFORM_MODEL}"}`);

  it('is complete when its body ends cleanly, and the client gets the [DONE]', async () => {
    world.vendor.say({ headers: SSE, pieces: [withModel(text, VENDOR_MODEL)] });
    const response = await ask('"stream_options":{"include_usage":true},');
    expect(await response.text()).toBe(`${withModel(text, PLATFORM_MODEL)}data: [DONE]\n\n`);
    const call = await loggedCall(world, response.headers.get('x-request-id'));
    expect(call).toMatchObject({ verdict: 'complete', estimated: false });
  });

  it('is broken off when only its connection ends', async () => {
    world.vendor.say({ headers: SSE, pieces: [withModel(text, VENDOR_MODEL)], isUntilClose: true });
    const { received, ended } = await readUntilEnd(await ask());
    expect(ended).toBe('reset');
    expect(received).toContain('The upstream could not be reached or broke off');
    expect(received).not.toContain('[DONE]');
  });
});

it('a JSON array that the vendor breaks off is closed behind an error, so that it stays readable', async () => {
  const half = '[{"candidates":[{"content":{"parts":[{"text":"a"}]}}]}\n,\n{"candidates":[{"cont';
  world.vendor.say({ pieces: [Buffer.from(half)] });
  const path = `/v1beta/models/${PLATFORM_MODEL}:streamGenerateContent`;
  const { received, ended } = await readUntilEnd(await world.post(path, '{"contents":[]}'));
  expect(ended).toBe('reset');
  const error = { code: 502, status: 'UNAVAILABLE', type: 'gateway_error' };
  expect(JSON.parse(received)).toMatchObject([{ candidates: [{}] }, { code: 50202, error }]);
});

it('a stream is recognised in any case of its media type', async () => {
  const text = 'data: {"model":"MODEL","choices":[{"delta":{"content":"a"}}]}\n\ndata: [DONE]\n\n';
  const headers = { 'content-type': 'Text/Event-Stream;Charset=UTF-8' };
  world.vendor.say({ headers, pieces: [withModel(text, VENDOR_MODEL)] });
  const response = await world.post(CHAT.path, `{"stream":true,"model":"${PLATFORM_MODEL}"}`);
  expect(await response.text()).toBe(withModel(text, PLATFORM_MODEL).toString());
});

it('an event is passed on when it is complete, without waiting for the next', async () => {
  const first = 'data: {"model":"m","choices":[{"delta":{"content":"a"}}]}\n\n';
  const pieces = [Buffer.from(first), Buffer.from('data: [DO'), Buffer.from('NE]\n\n')];
  world.vendor.say({ headers: SSE, pauseMs: 250, pieces });
  const body = `{"stream":true,"model":"${PLATFORM_MODEL}"}`;
  const response = await world.post(CHAT.path, body);
  const arrivals: { text: string; at: number }[] = [];
  for await (const chunk of response.body ?? []) {
    arrivals.push({ text: Buffer.from(chunk).toString(), at: performance.now() });
  }
  expect(arrivals.map(({ text }) => text)).toEqual([
    first.replace('"m"', `"${PLATFORM_MODEL}"`),
    'data: [DONE]\n\n',
  ]);
  expect((arrivals[1]?.at ?? 0) - (arrivals[0]?.at ?? 0)).toBeGreaterThan(300);
});

async function readUntilEnd(response: Response): Promise<{ received: string; ended: 'clean' | 'reset' }> {
  let received = '';
  try {
    for await (const chunk of response.body ?? []) received += Buffer.from(chunk).toString();
    return { received, ended: 'clean' };
  } catch {
    return { received, ended: 'reset' };
  }
}
