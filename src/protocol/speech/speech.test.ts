import { describe, expect, it } from 'vitest';
import { READ_AGAIN_BYTES_MAX } from '../../bounds.ts';
import { isRefusal } from '../../kernel/errors.ts';
import { NO_USAGE } from '../../kernel/usage.ts';
import type { RawRequest, RequestFacts } from '../dialect.ts';
import { speech } from './dialect.ts';

function raw(body: object): RawRequest {
  return { body: Buffer.from(JSON.stringify(body)), contentType: 'application/json', path: undefined };
}

async function read(body: object): Promise<RequestFacts> {
  const facts = await speech.readRequest(raw({ model: 'm', ...body }));
  if (isRefusal(facts)) throw new Error(`${facts.error.code} ${facts.message}`);
  return facts;
}

describe('the speech of a text', () => {
  it.each([
    ['hello', 5],
    ['a "quoted" line\nand 船 and 🚢', 27],
    ['', 0],
  ])('costs its characters: %j', async (input, characters) => {
    const facts = await read({ input });
    expect([...input].length).toBe(characters);
    expect(facts).toMatchObject({ stream: true, isFixed: true, outputTokensMax: 0 });
    expect(facts.inputTokensEstimate).toBe(characters);
    expect(speech.countInput(raw({ model: 'm', input }), facts)).toBe(characters);
  });

  it('costs what says how to speak too, and a huge text by its bytes', async () => {
    const instructions = 'calm '.repeat(20_000);
    const facts = await read({ input: 'hello', instructions });
    expect(facts.inputTokensEstimate).toBe(100_005);
    expect(speech.countInput(raw({}), facts)).toBe(100_005);
    expect(speech.relayStream('bytes', facts, 'm').usage().usage.inputFresh).toBe(100_005);
    const others = { text: 'ab', ssml: '<s>', prompt: 'p', instructions: null };
    expect((await read({ input: 'hello', ...others })).inputTokensEstimate).toBe(11);
    const bytes = 2 * READ_AGAIN_BYTES_MAX;
    expect((await read({ input: 'x'.repeat(bytes) })).inputTokensEstimate).toBe(bytes);
  });

  it.each([
    ['"input" must be a text', { input: ['hello', 'x'.repeat(100_000)] }],
    ['"input" must be a text', { input: { text: 'hello' } }],
    ['"input" must be a text', { input: 5 }],
    ['"input" is missing', {}],
    ['"input" is missing', { input: null }],
    ['"input" is missing', { text: 'x'.repeat(100_000) }],
    ['"instructions" must be a text', { input: 'x', instructions: ['hello'] }],
    ['"ssml" must be a text', { input: 'x', ssml: { speak: 'hello' } }],
  ])('that cannot be counted is refused: %s %#', async (complaint, body) => {
    await expect(read(body)).rejects.toThrow(`40004 ${complaint}`);
  });

  it('passes as it comes, and is complete only at the end of its message', async () => {
    const facts = await read({ input: 'hello' });
    const relay = speech.relayStream('bytes', facts, 'm');
    expect(relay.first).toBe('none');
    const sound = Buffer.from([0xff, 0xfb, 0x00, 0x0a, 0x0a]);
    expect(relay.push(sound)).toBe(sound);
    expect(relay).toMatchObject({ first: 'data', atBoundary: false, failed: false, heldBytes: 0 });
    expect(relay.finish('closed').complete).toBe(false);
    expect(relay.finish('counted').complete).toBe(true);
    const usage = { ...NO_USAGE, inputFresh: 5 };
    expect(relay.usage()).toEqual({ usage, estimated: false, inputReported: true });
    expect(speech.relayStream('bytes', facts, 'm').finish('counted').complete).toBe(false);
  });

  it('is never JSON', () => {
    const answered = (text: string) => speech.readResponse(Buffer.from(text), 'm');
    expect(answered('{"error":{"message":"no"}}')).toMatchObject({ valid: true, isError: true });
    expect(answered('{"text":"hello"}').valid).toBe(false);
  });

  it('has no place for words of ours', () => {
    const error = { code: 50202, status: 502, message: 'broken' };
    expect(speech.encodeStreamError('bytes', error)).toHaveLength(0);
    expect(speech.keepAlive('bytes', {})).toHaveLength(0);
  });
});
