import { describe, expect, it } from 'vitest';
import { isRefusal } from '../../kernel/errors.ts';
import { NO_USAGE } from '../../kernel/usage.ts';
import type { RequestFacts } from '../dialect.ts';
import { transcriptions } from './dialect.ts';

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
    const body = form([['model', 'm']]);
    const request = { body, contentType: TYPE, path: undefined };
    const sent = Buffer.concat(transcriptions.spliceRequest(request, await read(['model', 'm']), 'vendor'));
    expect(sent.toString()).toContain('name="model"\r\n\r\nvendor\r\n');
  });

  it('has no more seconds than its header says, or than the slowest speech of its size', async () => {
    const mostOf = async (file: Buffer) => (await read(['model', 'm'], ['file', file])).secondsMost;
    const wav = Buffer.alloc(44 + 10 * 16_000);
    wav.write('RIFF____WAVEfmt ', 'latin1');
    wav.writeUInt32LE(16_000, 28);
    expect(await mostOf(wav)).toBe(11);
    expect(await mostOf(Buffer.alloc(30_000))).toBe(30);
    const mp3 = Buffer.alloc(80_000);
    // 64 kilobits a second, of which half is a safe guess.
    mp3.set([0xff, 0xfb, 0x50, 0x00]);
    expect(await mostOf(mp3)).toBe(20);
    const mp4 = Buffer.alloc(80_000);
    mp4.write('____ftypM4A ', 'latin1');
    expect(await mostOf(mp4)).toBe(40);
  });

  it('is refused where readers could differ', async () => {
    await expect(read(['file', 'x'])).rejects.toThrow('40003');
    await expect(read(['model', 'm'], ['stream', '1'])).rejects.toThrow('40002 "stream" must be');
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
    const relay = transcriptions.relayStream('sse', await read(['model', 'm']), 'm');
    relay.push(Buffer.from('data: {"type":"transcript.text.delta","delta":" hello"}\n\n'));
    expect(relay.usage()).toMatchObject({ usage: { outputText: 1 }, estimated: true, inputReported: false });
    const usage = '{"type":"tokens","input_tokens":9,"output_tokens":2}';
    relay.push(Buffer.from(`data: {"type":"transcript.text.done","text":" hello","usage":${usage}}\n\n`));
    expect(relay.usage()).toMatchObject({ usage: { inputFresh: 9, outputText: 2 }, estimated: false });
    expect(relay.finish().complete).toBe(true);
    const failing = transcriptions.relayStream('sse', await read(['model', 'm']), 'm');
    failing.push(Buffer.from('data: {"type":"error","error":{"message":"no"}}\n\n'));
    expect(failing.failed).toBe(true);
  });
});
