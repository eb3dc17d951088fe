import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  CHAT,
  IMAGES,
  PASSED_SHAPES,
  PLATFORM_MODEL,
  type RecordedWorld,
  SHAPES,
  startRecordedWorld,
  VENDOR_MODEL,
  withModel,
} from './shapes.ts';

let world: RecordedWorld;
beforeAll(async () => {
  world = await startRecordedWorld();
});
afterAll(() => world.close());

/** Everything that a parser and a printer between them would lose or change. */
const ODDITIES =
  '"2":"two",  "1" : "one"\t,"10":{"b":1,"a":2},\r\n "big":12345678901234567890123,"id":9007199254740993,' +
  '"one":1.0,"small":1e-7,"exp":1E+2,"zero":-0,"dup":1,"dup":{"model":"inner"},"dup":[ ],' +
  '"escaped":"\\u00e9\\ud83d\\ude00\\/\\u0041","lone":"\\ud83d","raw":"é😀\u2028","empty":{ },' +
  '"__proto__":{"model":"not this"},"constructor":null,';

/** What the protocols charge for, under each of their names. */
const CONTENT =
  '"messages":[{"role":"user","content":"model"}],"input":"model","query":"model","documents":["model"]';

const MODEL_SPELLINGS: readonly (readonly [string, string])[] = [
  ['once', '"model" :\n "MODEL"'],
  ['twice, of which the last counts', '"model":"MODEL", "messages":[], "model":"MODEL"'],
  ['with an escaped key', '"\\u006dodel":"MODEL"'],
  ['with a plain and an escaped key', '"model":"MODEL","mo\\u0064el": "MODEL"'],
];

describe('a request of the same protocol passes byte for byte, except the value of model', () => {
  for (const shape of [...SHAPES, ...PASSED_SHAPES]) {
    for (const [spelling, member] of MODEL_SPELLINGS) {
      it(`${shape.name}: with everything a parser would change, and model ${spelling}`, async () => {
        const body = ` \r\n{${ODDITIES}${member},${CONTENT}}\n\t`;
        world.vendor.say({ pieces: [withModel(shape.answer, VENDOR_MODEL)] });
        const response = await world.post(shape.path, withModel(body, PLATFORM_MODEL).toString());
        expect(response.status).toBe(200);
        const heard = world.vendor.heard();
        const expected = withModel(body, VENDOR_MODEL);
        expect(heard.body.toString('latin1')).toBe(expected.toString('latin1'));
        expect(heard.url).toBe(shape.vendorPath);
        expect(heard.headers['content-length']).toBe(String(expected.length));
      });
    }
  }

  it('a model name with escapes is decoded and replaced', async () => {
    world.vendor.say({ pieces: [withModel(CHAT.answer, VENDOR_MODEL)] });
    const escaped = '{"model":"\\u0061cme\\/model-9","messages":[]}';
    const response = await world.post(CHAT.path, escaped);
    expect(response.status).toBe(200);
    expect(world.vendor.heard().body.toString()).toBe(`{"model":"${VENDOR_MODEL}","messages":[]}`);
  });

  it('the last of two models is requested, and the vendor gets its own name in both places', async () => {
    world.vendor.say({ pieces: [withModel(CHAT.answer, VENDOR_MODEL)] });
    const response = await world.post(CHAT.path, `{"model":"other","x":1,"model":"${PLATFORM_MODEL}"}`);
    expect(response.status).toBe(200);
    expect(world.vendor.heard().body.toString()).toBe(
      `{"model":"${VENDOR_MODEL}","x":1,"model":"${VENDOR_MODEL}"}`,
    );
  });

  it('a body of many MiB passes, with the model last and characters across every slice', async () => {
    const filler = '\\u00e9é😀\\/'.repeat(900_000);
    const body = `{"messages":[{"role":"user","content":"${filler}"}],"model":"MODEL","n": 1}`;
    world.vendor.say({ pieces: [withModel(CHAT.answer, VENDOR_MODEL)] });
    const response = await world.post(CHAT.path, withModel(body, PLATFORM_MODEL).toString());
    expect(response.status).toBe(200);
    expect(world.vendor.heard().body.equals(withModel(body, VENDOR_MODEL))).toBe(true);
  });

  it('a compressed body is decoded, and reaches the vendor plain', async () => {
    const body = `{"model":"${PLATFORM_MODEL}","messages":[],"pad":"${'x'.repeat(2_000)}"}`;
    world.vendor.say({ pieces: [withModel(CHAT.answer, VENDOR_MODEL)] });
    const response = await fetch(world.url + CHAT.path, {
      method: 'POST',
      headers: { ...world.headers(), 'content-encoding': 'gzip' },
      body: gzipSync(body),
    });
    expect(response.status).toBe(200);
    const heard = world.vendor.heard();
    expect(heard.body.toString()).toBe(body.replace(PLATFORM_MODEL, VENDOR_MODEL));
    expect(heard.headers['content-encoding']).toBeUndefined();
  });

  it('a multipart image edit passes with its contents byte for byte, in a new frame', async () => {
    const form = (model: string, boundary: string): Buffer =>
      Buffer.concat([
        Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="model"\r\n\r\n`),
        Buffer.from(`${model}\r\n--${boundary}\r\nContent-Disposition: form-data; name="image"; `),
        Buffer.from('filename="a.png"\r\nContent-Type: image/png\r\n\r\n'),
        Buffer.from([0, 255, 13, 10, 45, 45, 102, 13, 10, 0x89]),
        Buffer.from(`\r\n--${boundary}\r\nContent-Disposition: form-data; name="prompt"\r\n\r\na cat\r\n`),
        Buffer.from(`--${boundary}--\r\n`),
      ]);
    world.vendor.say({ pieces: [withModel(IMAGES.answer, VENDOR_MODEL)] });
    const contentType = 'multipart/form-data; boundary="frontier"';
    const response = await fetch(`${world.url}/v1/images/edits`, {
      method: 'POST',
      headers: { ...world.headers(), 'content-type': contentType },
      body: new Uint8Array([...Buffer.from('preamble\r\n'), ...form(PLATFORM_MODEL, 'frontier')]),
    });
    expect(response.status).toBe(200);
    const heard = world.vendor.heard();
    expect(heard.url).toBe('/v1/images/edits');
    const [, boundary = ''] =
      /^multipart\/form-data; boundary=(tollgate-\w{36})$/.exec(heard.headers['content-type'] ?? '') ?? [];
    expect(heard.body.equals(form(VENDOR_MODEL, boundary))).toBe(true);
  });
});

const ASKED_BY_US = '"stream_options":{"include_usage":true},';

/** What the client wrote, and what the vendor must read: `stream_options` of a Chat Completions stream. */
const USAGE_OPTIONS: readonly (readonly [string, string, string])[] = [
  ['is asked for when the client has no options', '{"stream":true,', `{${ASKED_BY_US}"stream":true,`],
  [
    'is added to the options the client has',
    '{"stream":true,"stream_options": { "include_obfuscation":false},',
    '{"stream":true,"stream_options": {"include_usage":true, "include_obfuscation":false},',
  ],
  [
    'is added to empty options',
    '{"stream":true,"stream_options":{ },',
    '{"stream":true,"stream_options":{"include_usage":true },',
  ],
  [
    'takes the place of options that are null',
    '{"stream":true,"stream_options":null,',
    '{"stream":true,"stream_options":{"include_usage":true},',
  ],
  [
    'takes the place of a false',
    '{"stream_options":{"include_usage":false},"stream":true,',
    '{"stream_options":{"include_usage":true},"stream":true,',
  ],
  [
    'is left alone when the client asked for it',
    '{"stream":true,"stream_options":{"include_usage" : true},',
    '{"stream":true,"stream_options":{"include_usage" : true},',
  ],
  ['is not asked for in a plain call', '{"stream":false,', '{"stream":false,'],
];

describe('the usage of a Chat Completions stream', () => {
  for (const [what, sent, received] of USAGE_OPTIONS) {
    it(what, async () => {
      const done = Buffer.from('data: {"model":"m","choices":[{"delta":{}}]}\n\ndata: [DONE]\n\n');
      const headers = { 'content-type': 'text/event-stream' };
      const plain = { pieces: [withModel(CHAT.answer, VENDOR_MODEL)] };
      world.vendor.say(sent.includes('"stream":true') ? { headers, pieces: [done] } : plain);
      const response = await world.post(CHAT.path, `${sent}"model":"${PLATFORM_MODEL}","n":1}`);
      expect(response.status).toBe(200);
      await response.arrayBuffer();
      expect(world.vendor.heard().body.toString()).toBe(`${received}"model":"${VENDOR_MODEL}","n":1}`);
    });
  }
});

describe('an answer of the same protocol passes byte for byte, except the value of model', () => {
  for (const shape of SHAPES) {
    it(`${shape.name}: with everything a parser would change`, async () => {
      const answer = `\n {${ODDITIES}${shape.answer.slice(1)}\r\n `;
      world.vendor.say({ pieces: [withModel(answer, VENDOR_MODEL)] });
      const response = await world.post(shape.path, `{"model":"${PLATFORM_MODEL}"}`);
      expect(response.status).toBe(200);
      const received = Buffer.from(await response.arrayBuffer());
      expect(received.toString('latin1')).toBe(withModel(answer, PLATFORM_MODEL).toString('latin1'));
      expect(response.headers.get('content-length')).toBe(String(received.length));
    });

    it(`${shape.name}: of several MiB`, async () => {
      const answer = `{"pad":"${'é😀\\u0041'.repeat(400_000)}",${shape.answer.slice(1)}`;
      world.vendor.say({ pieces: [withModel(answer, VENDOR_MODEL)] });
      const response = await world.post(shape.path, `{"model":"${PLATFORM_MODEL}"}`);
      const received = Buffer.from(await response.arrayBuffer());
      expect(received.equals(withModel(answer, PLATFORM_MODEL))).toBe(true);
    });

    it(`${shape.name}: an error of the vendor passes unchanged, odd bytes and all`, async () => {
      const error = ` {"error" : {"message":"\\u0062ad","code":1.0,"model":"${VENDOR_MODEL}"} }\r\n`;
      world.vendor.say({ status: 422, pieces: [Buffer.from(error)] });
      const response = await world.post(shape.path, `{"model":"${PLATFORM_MODEL}"}`);
      expect(response.status).toBe(422);
      expect(await response.text()).toBe(error);
    });
  }
});
