import { describe, expect, it } from 'vitest';
import { PROTOCOLS } from '../../kernel/protocol-name.ts';
import type { RequestFacts, StreamError } from '../dialect.ts';
import { getDialect } from '../registry.ts';

const ERROR: StreamError = { code: 50202, status: 502, message: 'it "broke"\n' };

const encode = (protocol: (typeof PROTOCOLS)[number], error = ERROR): string =>
  getDialect(protocol).encodeStreamError('sse', error).toString();

const parseData = (event: string): unknown => JSON.parse(/data: (.*)\n\n$/.exec(event)?.[1] ?? '');

/** Nothing of ours has a place in a sound. */
const WITH_EVENTS = PROTOCOLS.filter((protocol) => protocol !== 'speech');

describe('an error inside a stream has the client’s own format', () => {
  it('for Chat Completions', () => {
    expect(encode('chat')).not.toContain('event:');
    expect(parseData(encode('chat'))).toEqual({
      error: { message: ERROR.message, type: 'gateway_error', param: null, code: '50202' },
    });
  });

  it('for Responses: flat, with the number after the last event', () => {
    expect(encode('responses', { ...ERROR, sequenceNumber: 8 })).toMatch(/^event: error\n/);
    expect(parseData(encode('responses', { ...ERROR, sequenceNumber: 8 }))).toEqual({
      type: 'error',
      code: '50202',
      message: ERROR.message,
      param: null,
      sequence_number: 8,
    });
    expect(parseData(encode('responses'))).not.toHaveProperty('sequence_number');
  });

  it.each([
    [502, 'api_error'],
    [503, 'overloaded_error'],
    [504, 'timeout_error'],
    [429, 'rate_limit_error'],
    [403, 'permission_error'],
  ])('for Messages: status %d is %s', (status, type) => {
    const event = encode('messages', { ...ERROR, status });
    expect(event).toMatch(/^event: error\n/);
    expect(parseData(event)).toEqual({
      type: 'error',
      error: { type, message: ERROR.message, code: '50202' },
    });
  });

  it('for generateContent: a numeric status and its name', () => {
    expect(parseData(encode('gemini'))).toEqual({
      code: 50202,
      message: ERROR.message,
      error: { code: 502, message: ERROR.message, status: 'UNAVAILABLE', type: 'gateway_error' },
    });
  });

  it('for generateContent: the error first, because Google’s SDK for Python looks there', () => {
    expect(encode('gemini')).toMatch(/^data: \{"error":\{/);
    expect(getDialect('gemini').encodeStreamError('json-array', ERROR).toString()).toMatch(/^,\{"error":\{/);
  });

  it('for a growing array: one element more, and the array is closed', () => {
    const begun = '[{"candidates":[]}';
    const whole = begun + getDialect('gemini').encodeStreamError('json-array', ERROR).toString();
    expect(JSON.parse(whole)[1].error).toMatchObject({ code: 502, status: 'UNAVAILABLE' });
  });

  it('is read as an error by the relays', () => {
    for (const protocol of WITH_EVENTS) {
      const relay = getDialect(protocol).relayStream('sse', {} as RequestFacts, 'm');
      relay.push(Buffer.from(encode(protocol)));
      expect(relay).toMatchObject({ first: 'error', failed: true, terminated: false });
    }
  });
});

describe('a keep-alive', () => {
  it('is complete, harmless and between events', () => {
    for (const protocol of WITH_EVENTS) {
      const relay = getDialect(protocol).relayStream('sse', {} as RequestFacts, 'm');
      const bytes = getDialect(protocol).keepAlive('sse', {});
      expect(relay.push(bytes)).toBe(bytes);
      expect(relay).toMatchObject({ atBoundary: true, failed: false, terminated: false });
    }
    expect(getDialect('gemini').keepAlive('json-array', {}).toString().trim()).toBe('');
  });

  it('of generateContent is a complete event with data, which each of its SDKs ignores', () => {
    const sign = (client?: string): unknown => {
      const bytes = getDialect('gemini').keepAlive('sse', { 'x-goog-api-client': client });
      // The strictest readers take nothing but this, from the first byte to the last.
      const [, data = ''] = /^data: (.*)\n\n$/.exec(bytes.toString()) ?? [];
      return JSON.parse(data);
    };
    const empty = { candidates: [{ content: { parts: [{ text: '' }], role: 'model' }, index: 0 }] };
    for (const client of [undefined, 'google-genai-sdk/2.34.0 gl-python/3.11.7']) {
      expect(sign(client)).toEqual(empty);
    }
    expect(sign('genai-js/0.24.1')).toEqual({ candidates: [] });
    expect(sign('langchain/1 genai-js/0.24.1')).toEqual({ candidates: [] });
  });
});
