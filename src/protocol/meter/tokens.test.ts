import { describe, expect, it } from 'vitest';
import { processorMs } from '../../../test/support/cost.ts';
import { TOKENIZE_BYTES_MAX } from '../../bounds.ts';
import { isRefusal } from '../../kernel/errors.ts';
import type { Protocol } from '../../kernel/protocol-name.ts';
import { getDialect } from '../registry.ts';
import { countTokens } from './tokens.ts';

describe('tokens are counted', () => {
  it('like o200k', () => {
    expect(countTokens('')).toBe(0);
    expect(countTokens('hello world')).toBe(2);
    expect(countTokens('The quick brown fox jumps over the lazy dog.')).toBe(10);
  });

  it('with special tokens as text', () => {
    expect(countTokens('hello <|endoftext|> x')).toBeGreaterThan(4);
  });

  it('the same in pieces as at once', () => {
    const sentence = 'The quick brown fox jumps over the lazy dog. ';
    expect(countTokens(sentence.repeat(100))).toBe(1000 + 1);
  });

  it('scaled when the text is longer than the bound', () => {
    const text = 'The quick brown fox jumps over the lazy dog. '.repeat(20_000);
    expect(text.length).toBeGreaterThan(10 * TOKENIZE_BYTES_MAX);
    expect(Math.abs(countTokens(text) - 200_000)).toBeLessThan(4_000);
  });

  it.each([
    ['letters', 'a'],
    ['Chinese', '这是一个测试文本用于计算'],
    ['blanks', ' '],
    ['emoji', '😀'],
  ])('in bounded time for a run of %s without a boundary', (_name, unit) => {
    countTokens('load');
    const started = processorMs();
    expect(countTokens(unit.repeat(TOKENIZE_BYTES_MAX))).toBeGreaterThan(0);
    expect(processorMs() - started).toBeLessThan(3_000);
  });
});

const GEMINI_PATH = { model: 'gemini-x', stream: false, framing: 'sse' } as const;
const withModel = (body: Buffer): Buffer => Buffer.concat([Buffer.from('{"model":"m",'), body.subarray(1)]);

describe('the input of a request', () => {
  const count = (
    protocol: 'chat' | 'responses' | 'messages' | 'gemini' | 'images',
    body: object,
  ): Promise<number> => countBody(protocol, Buffer.from(JSON.stringify(body)));
  /** With what its files come to, as the gateway counts it. */
  const countBody = async (protocol: Protocol, body: Buffer): Promise<number> => {
    const raw = { body, contentType: 'application/json', path: GEMINI_PATH };
    const named = protocol === 'gemini' ? raw : { ...raw, body: withModel(body) };
    const facts = await getDialect(protocol).readRequest(named);
    if (isRefusal(facts)) throw new Error('no facts');
    return getDialect(protocol).countInput(raw, facts);
  };
  const text = 'The quick brown fox jumps over the lazy dog.';

  it('is its text and three tokens per message and three more', async () => {
    expect(await count('chat', { model: 'm', messages: [{ role: 'user', content: text }] })).toBe(16);
    expect(
      await count('messages', {
        system: text,
        messages: [{ role: 'user', content: [{ type: 'text', text }] }],
      }),
    ).toBe(countTokens(text + text) + 6);
    expect(await count('responses', { input: text })).toBe(16);
    expect(await count('responses', { instructions: text, input: [{ role: 'user', content: text }] })).toBe(
      countTokens(text + text) + 6,
    );
    expect(await count('gemini', { contents: [{ role: 'user', parts: [{ text }] }] })).toBe(16);
    expect(await count('images', { prompt: text })).toBe(16);
  });

  it('counts each picture by its estimate and never by its bytes', async () => {
    const png = Buffer.alloc(60_000);
    png.write('\x89PNG\r\n\x1a\n', 'latin1');
    png.writeUInt32BE(750, 16);
    png.writeUInt32BE(100, 20);
    const data = png.toString('base64');
    const source = { type: 'base64', media_type: 'image/png', data };
    const parts = [
      { type: 'text', text },
      { type: 'image', source },
    ];
    // 750 × 100 pixels, 750 of them a token, and ten to be safe.
    expect(await count('messages', { messages: [{ role: 'user', content: parts }] })).toBe(10 + 6 + 110);
  });

  const CARRIERS = [
    ['chat', (content: string) => ({ messages: [{ role: 'user', content }] })],
    ['chat', (text: string) => ({ messages: [{ role: 'user', content: [{ type: 'text', text }] }] })],
    ['messages', (content: string) => ({ messages: [{ role: 'user', content }] })],
    ['messages', (system: string) => ({ system, messages: [{}] })],
    ['responses', (input: string) => ({ input })],
    ['responses', (output: string) => ({ input: [{ type: 'function_call_output', output }] })],
    ['gemini', (text: string) => ({ contents: [{ parts: [{ text }] }] })],
    ['images', (prompt: string) => ({ prompt })],
  ] as const;

  it.each(CARRIERS)('of %s counts text that looks like a file as text (%#)', async (protocol, carry) => {
    const lookalikes = ['QUJD'.repeat(8_000), 'please/read/'.repeat(3_000), 'please\nread\n'.repeat(3_000)];
    for (const lookalike of lookalikes) {
      expect(await count(protocol, carry(lookalike))).toBeGreaterThan(countTokens(lookalike) * 0.9);
    }
  });

  it('is not larger for a sample that would end inside an escape', async () => {
    const content = 'please read this, '.repeat(8_000);
    for (const before of ['', 'x', 'xx', 'xxx', 'xxxx', 'xxxxx']) {
      const written = JSON.stringify({ messages: [{ content: before + content }] });
      const plain = await countBody('chat', Buffer.from(written));
      const escaped = Buffer.from(written.replaceAll(' ', '\\u0020'));
      expect((await countBody('chat', escaped)) / plain).toBeCloseTo(1, 2);
    }
  });

  it('is not reduced by a cheap beginning', async () => {
    const prose = 'please read this, '.repeat(40_000);
    const content = ' '.repeat(TOKENIZE_BYTES_MAX) + prose;
    expect(await count('chat', { messages: [{ content }] })).toBeGreaterThan(prose.length / 24);
    // Cyrillic in escapes is the longest spelling of a token that honest clients send.
    const cyrillic = 'Пожалуйста, прочитайте этот длинный отчёт о торговле. '.repeat(1_000);
    const written = JSON.stringify({ messages: [{ content: cyrillic }] });
    const escaped = written.replace(/[^ -~]/g, (letter) => `\\u0${letter.charCodeAt(0).toString(16)}`);
    const body = Buffer.from(escaped);
    const counted = await countBody('chat', body);
    expect(counted / countTokens(cyrillic)).toBeCloseTo(1, 1);
  });

  it('counts values under keys with escapes', async () => {
    const body = Buffer.from(
      JSON.stringify({ messages: [{ content: text }] }).replace('content', 'c\\u006fntent'),
    );
    expect(await countBody('chat', body)).toBe(16);
  });

  it('counts a document of Messages that is given as text', async () => {
    const ask = (source: object) =>
      count('messages', { messages: [{ content: [{ type: 'document', source }] }] });
    const long = 'please/read/'.repeat(3_000);
    const tokens = countTokens(long);
    expect(await ask({ type: 'text', media_type: 'text/plain', data: long })).toBe(tokens + 6);
    expect(await ask({ data: long, type: 'text' })).toBe(tokens + 6);
    expect(await ask({ type: 'content', content: long })).toBe(tokens + 6);
    // A file of which nothing is known counts as much as its bytes would as text.
    const fileTokens = Math.ceil((long.length * 3) / 4 / 3);
    const picture = { type: 'image', source: { type: 'base64', data: long } };
    expect(await ask({ type: 'content', content: [{ type: 'text', text: long }, picture] })).toBe(
      tokens + 6 + fileTokens,
    );
    expect(await ask({ type: 'base64', data: long })).toBe(6 + fileTokens);
    expect(await ask({ type: 'url', url: 'https://example.com/a.png' })).toBe(6 + 4_800);
    expect(await ask({ type: 'file', file_id: 'file_1' })).toBeGreaterThan(10_000);
  });

  it('counts tools as they are written', async () => {
    const tools = [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }];
    expect(await count('chat', { messages: [], tools })).toBe(countTokens(JSON.stringify(tools)) + 3);
  });
});
