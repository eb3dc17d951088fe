import { describe, expect, it } from 'vitest';
import { mp3, wav } from '../../../test/support/sounds/frames.ts';
import { isRefusal } from '../../kernel/errors.ts';
import { NO_USAGE } from '../../kernel/usage.ts';
import type { RequestFacts } from '../dialect.ts';
import { transcriptions } from './dialect.ts';

/** The shortest file. */
const SOUND = ['file', 'x'] as const;
const BOUNDARY = 'X-BOUNDARY';
const TYPE = `multipart/form-data; boundary=${BOUNDARY}`;

function form(fields: readonly (readonly [string, string | Buffer])[]): Buffer {
  const parts = fields.flatMap(([name, value]) => [
    Buffer.from(`--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"`),
    Buffer.from(name === 'file' ? '; filename="a.wav"\r\nContent-Type: audio/wav\r\n\r\n' : '\r\n\r\n'),
    Buffer.from(value),
    Buffer.from('\r\n'),
  ]);
  return Buffer.concat([...parts, Buffer.from(`--${BOUNDARY}--\r\n`)]);
}

async function read(...fields: readonly (readonly [string, string | Buffer])[]): Promise<RequestFacts> {
  const facts = await transcriptions.readRequest({ body: form(fields), contentType: TYPE, path: undefined });
  if (isRefusal(facts)) throw new Error(`${facts.error.code} ${facts.message}`);
  return facts;
}

describe('the request of a transcription', () => {
  it('is a form with a model, a file and a flag', async () => {
    const facts = await read(['model', 'm'], ['file', Buffer.alloc(30_000)], ['stream', 'true']);
    expect(facts).toMatchObject({ model: 'm', stream: true, isFixed: true, inputTokensLikely: 10 });
    expect(facts.inputTokensEstimate).toBeGreaterThanOrEqual(100);
    expect(facts.outputTokensMax).toBeGreaterThanOrEqual(80);
    const body = form([['model', 'm'], SOUND]);
    const request = { body, contentType: TYPE, path: undefined };
    const sent = Buffer.concat(
      transcriptions.spliceRequest(request, await read(['model', 'm'], SOUND), 'vendor'),
    );
    expect(sent.toString()).toContain('name="model"\r\n\r\nvendor\r\n');
  });

  it('has the seconds of its frames, or of the slowest speech of its size', async () => {
    const mostOf = async (file: Buffer) => (await read(['model', 'm'], ['file', file])).secondsMost;
    expect(await mostOf(wav(10))).toBe(10);
    expect(await mostOf(wav(600, { sampleRate: 8_000, claims: { byteRate: 0xffffffff } }))).toBe(600);
    expect(await mostOf(mp3(10, { kilobits: [64] }))).toBe(11);
    expect(await mostOf(Buffer.alloc(30_000))).toBe(30);
    const mp4 = Buffer.alloc(80_000);
    mp4.write('____ftypM4A ', 'latin1');
    expect(await mostOf(mp4)).toBe(40);
  });

  it('counts its prompt, beside the seconds of the sound', async () => {
    const prompt = 'Names: 7, 8 and 9. '.repeat(1_000);
    const short = await read(['model', 'm'], ['file', wav(10)]);
    const long = await read(['model', 'm'], ['file', wav(10)], ['prompt', prompt]);
    expect(long).toMatchObject({ secondsLikely: 10, secondsMost: 10 });
    expect(long.inputTokensEstimate - short.inputTokensEstimate).toBeGreaterThanOrEqual(prompt.length / 3);
    const request = { body: Buffer.alloc(0), contentType: TYPE, path: undefined };
    expect(transcriptions.countInput(request, long)).toBe(10 + prompt.length / 4);
  });

  it.each([
    ['"url"', ['url', 'https://sounds.invalid/long.mp3']],
    ['"url"', ['url', 'sounds.invalid/long.mp3']],
    ['"urls[]"', ['urls[]', 'x']],
    ['"file_url"', ['file_url', 'x']],
    ['"audioUrl"', ['audioUrl', 'x']],
    ['"file_id"', ['file_id', 'file-1']],
    ['"audio"', ['audio', ' HTTPS://sounds.invalid/long.mp3']],
    ['"source"', ['source', 'gs://bucket/long.mp3']],
  ] as const)('with an address of sound in %s is refused, with and without a file', async (name, field) => {
    for (const fields of [[field], [field, SOUND]]) {
      await expect(read(['model', 'm'], ...fields)).rejects.toThrow(
        `40004 Send the sound as "file": what ${name}`,
      );
    }
  });

  it('without a file, or with a text instead of one, is refused', async () => {
    await expect(read(['model', 'm'])).rejects.toThrow('40004 Send the sound as "file": the form has none');
    const text = form([['model', 'm']])
      .toString()
      .replace('name="model"', 'name="file"');
    const body = Buffer.concat([
      form([['model', 'm']]).subarray(0, -`--${BOUNDARY}--\r\n`.length),
      Buffer.from(text),
    ]);
    const refused = await transcriptions.readRequest({ body, contentType: TYPE, path: undefined });
    expect(refused).toMatchObject({
      error: { code: 40004 },
      message: expect.stringContaining('"file" must be'),
    });
    const prompt = await read(['model', 'm'], SOUND, ['prompt', 'https://is.a/word']);
    expect(prompt.secondsMost).toBe(1);
  });

  it('is refused where readers could differ', async () => {
    await expect(read(['file', 'x'])).rejects.toThrow('40003');
    await expect(read(['model', 'm'], ['stream', '1'])).rejects.toThrow('40004 "stream" must be');
    await expect(read(['model', 'm'], ['stream', 'true'], ['stream', 'true'])).rejects.toThrow('40002');
    await expect(read(['model', 'm'], ['Model', 'n'])).rejects.toThrow('40002');
    const json = { body: Buffer.from('{"model":"m"}'), contentType: 'application/json', path: undefined };
    expect(await transcriptions.readRequest(json)).toMatchObject({ error: { code: 40002 } });
  });
});

describe('the answer of a transcription', () => {
  const answered = (text: string) => transcriptions.readResponse(Buffer.from(text), 'm');

  it('is charged by tokens, by begun seconds, or not reported', () => {
    const tokens = '{"text":"a","usage":{"type":"tokens","input_tokens":14,"output_tokens":4}}';
    expect(answered(tokens).usage).toEqual({ ...NO_USAGE, inputFresh: 14, outputText: 4 });
    const seconds = '{"text":"a","usage":{"type":"duration","seconds":7.2}}';
    expect(answered(seconds).usage).toEqual({ ...NO_USAGE, inputFresh: 8 });
    expect(answered('{"text":"a","duration":"8.47"}').usage).toEqual({ ...NO_USAGE, inputFresh: 9 });
    for (const odd of ['-1', '"x"', '1e9', 'null', '99999999999999']) {
      expect(answered(`{"text":"a","usage":{"seconds":${odd}}}`).usage, odd).toBeUndefined();
    }
  });

  it('may be plain text, and is never a page', () => {
    expect(answered('1\n00:00:00 --> 00:00:01\nHello')).toMatchObject({ valid: true, usage: undefined });
    expect(answered('<html>')).toMatchObject({ valid: false });
    expect(answered('{"error":{"message":"no"}}')).toMatchObject({ valid: true, isError: true });
  });

  it('as a stream ends with its usage', async () => {
    const relay = transcriptions.relayStream('sse', await read(['model', 'm'], SOUND), 'm');
    relay.push(Buffer.from('data: {"type":"transcript.text.delta","delta":" hello"}\n\n'));
    expect(relay.usage()).toMatchObject({ usage: { outputText: 1 }, estimated: true, inputReported: false });
    const usage = '{"type":"tokens","input_tokens":9,"output_tokens":2}';
    relay.push(Buffer.from(`data: {"type":"transcript.text.done","text":" hello","usage":${usage}}\n\n`));
    expect(relay.usage()).toMatchObject({ usage: { inputFresh: 9, outputText: 2 }, estimated: false });
    expect(relay.finish().complete).toBe(true);
    const failing = transcriptions.relayStream('sse', await read(['model', 'm'], SOUND), 'm');
    failing.push(Buffer.from('data: {"type":"error","error":{"message":"no"}}\n\n'));
    expect(failing.failed).toBe(true);
  });
});
