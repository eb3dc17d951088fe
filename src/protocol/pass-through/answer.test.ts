import { describe, expect, it } from 'vitest';
import { processorMs } from '../../../test/support/cost.ts';
import { PROTOCOLS, type Protocol } from '../../kernel/protocol-name.ts';
import { NO_USAGE } from '../../kernel/usage.ts';
import type { PlainAnswer } from '../dialect.ts';
import { countTokens } from '../meter/tokens.ts';
import { getDialect } from '../registry.ts';

const MODEL = 'platform/model';

function read(protocol: Protocol, body: string): PlainAnswer {
  return getDialect(protocol).readResponse(Buffer.from(body), MODEL);
}

const joinPieces = (answer: PlainAnswer): string => Buffer.concat(answer.pieces).toString();

const CHAT =
  '{ "id":"c", "model" : "vendor", "choices":[{"message":{"content":"hi \\"model\\":1 é",' +
  '"model":"inner"}}],' +
  '"usage":{"prompt_tokens":3,"completion_tokens":2,"total_tokens":5}}\n';
const RESPONSES =
  '{"id":"r","error":null,"model":"vendor","status":"completed","output":[{"content":[' +
  '{"type":"output_text","text":"hi","annotations":[]}]}],' +
  '"usage":{"input_tokens":3,"output_tokens":2,"total_tokens":5}}';
const MESSAGES =
  '{"id":"m","type":"message","model":"vendor","content":[{"type":"text","text":"hi"},' +
  '{"type":"tool_use","input":{"a":1}}],"usage":{"input_tokens":3,"output_tokens":2}}';
const GEMINI =
  '{"candidates":[{"content":{"parts":[{"text":"hi"}]},"finishReason":"STOP"}],' +
  '"usageMetadata":{"promptTokenCount":3,"candidatesTokenCount":2,"totalTokenCount":5},' +
  '"modelVersion":"vendor"}';

describe('a plain answer', () => {
  const answers: readonly (readonly [Protocol, string, string])[] = [
    ['chat', CHAT, 'hi "model":1 é'],
    ['responses', RESPONSES, 'hi'],
    ['messages', MESSAGES, 'hi{"a":1}'],
    ['gemini', GEMINI, 'hi'],
  ];
  it.each(answers)(
    'of %s keeps its bytes except for the model, and gives its usage',
    (protocol, body, text) => {
      const answer = read(protocol, body);
      expect(joinPieces(answer)).toBe(body.replace('"vendor"', `"${MODEL}"`));
      expect(answer.usage).toEqual({ ...NO_USAGE, inputFresh: 3, outputText: 2 });
      expect(answer.outputTokens()).toBe(countTokens(text));
      expect(answer).toMatchObject({ valid: true, isError: false });
    },
  );

  it('is the same buffer when the name is already right', () => {
    const body = Buffer.from(CHAT.replace('vendor', MODEL));
    expect(getDialect('chat').readResponse(body, MODEL).pieces).toEqual([body]);
  });

  it('that is printed on many lines has the same text as on one', () => {
    const call = { functionCall: { name: 'look', args: { path: 'a\n  b', deep: [1, { more: true }] } } };
    const answer = { candidates: [{ content: { parts: [call] } }] };
    const printed = read('gemini', JSON.stringify(answer, null, 2)).outputTokens();
    expect(printed).toBe(read('gemini', JSON.stringify(answer, null, 8)).outputTokens());
    expect(printed).toBeLessThan(2 * read('gemini', JSON.stringify(answer)).outputTokens());
  });

  it('without usage, or with an absurd one, leaves the count to the caller', () => {
    expect(read('chat', '{"choices":[{"message":{"content":"hi"}}]}').usage).toBeUndefined();
    expect(
      read('chat', CHAT.replace('"completion_tokens":2', '"completion_tokens":-2')).usage,
    ).toBeUndefined();
    expect(
      read('messages', MESSAGES.replace('"output_tokens":2', '"output_tokens":"2"')).usage,
    ).toBeUndefined();
  });

  it.each(['<html></html>', '', '[]', '{"choices":[', '{"choices":[]}{}', 'null', '{"hello":1}'])(
    'cannot be %j',
    (body) => {
      expect(read('chat', body)).toMatchObject({ valid: false, isError: false, usage: undefined });
      expect(joinPieces(read('chat', body))).toBe(body);
    },
  );

  it.each(PROTOCOLS)('of %s that carries only an error is an error', (protocol) => {
    const answer = read(protocol, '{"type":"error","error":{"message":"boom"}}');
    expect(answer).toMatchObject({ valid: true, isError: true, usage: undefined });
  });

  it('of Responses that failed is an answer', () => {
    const body = '{"status":"failed","error":{"code":"server_error"},"output":[],"usage":null}';
    expect(read('responses', body)).toMatchObject({ valid: true, isError: false, usage: undefined });
    expect(read('responses', body).outputTokens()).toBe(0);
  });

  it('of a blocked prompt is an answer', () => {
    const body =
      '{"promptFeedback":{"blockReason":"X"},"usageMetadata":{"promptTokenCount":3,"totalTokenCount":3}}';
    expect(read('gemini', body)).toMatchObject({ valid: true, usage: { inputFresh: 3, outputText: 0 } });
  });
});

describe('an answer with images', () => {
  it('counts the elements of data, with tokens where they are reported', () => {
    const usage = '"usage":{"input_tokens":9,"output_tokens":100,"input_tokens_details":{"text_tokens":9}}';
    const body = `{"created":1,"data":[{"b64_json":"QUJD]"},{"url":"https://x/?a=[1,2]"}],${usage}}`;
    expect(read('images', body).usage).toEqual({ ...NO_USAGE, inputFresh: 9, outputText: 100, images: 2 });
  });

  it('needs no token figures', () => {
    expect(read('images', '{"data":[{"url":"x"}],"usage":{"cost_in_usd_ticks":2}}').usage).toEqual({
      ...NO_USAGE,
      images: 1,
    });
    expect(read('images', '{"data":[ ]}').usage).toEqual(NO_USAGE);
  });

  it('of a hundred megabytes is read quickly', () => {
    const body = `{"data":[{"b64_json":"${'QUJD'.repeat(25_000_000)}"}]}`;
    const started = processorMs();
    expect(read('images', body).usage?.images).toBe(1);
    expect(processorMs() - started).toBeLessThan(2_000);
  });
});
