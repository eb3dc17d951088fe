import { describe, expect, it } from 'vitest';
import type { BodyEnd, RequestFacts } from '../../dialect.ts';
import { chatCompletions } from '../dialect.ts';

describe('a Chat Completions stream without [DONE]', () => {
  const chunk = (choices: string, more = ''): string => `data: {"choices":[${choices}]${more}}\n\n`;
  const said = (index: number): string => `{"index":${index},"delta":{"content":"a"},"finish_reason":null}`;
  const stop = (index: number): string => `{"index":${index},"delta":{},"finish_reason":"stop"}`;
  const DONE = 'data: [DONE]\n\n';
  const end = (text: string, how?: BodyEnd): { output: string; complete: boolean } => {
    const relay = chatCompletions.relayStream('sse', { usageInjected: false } as RequestFacts, 'm');
    const passed = relay.push(Buffer.from(text))?.toString() ?? '';
    const { rest, complete } = relay.finish(how);
    return { output: passed + (rest?.toString() ?? ''), complete };
  };

  it('is complete when its body ended cleanly behind a finish reason, and gets the terminator', () => {
    const usage = chunk('', ',"usage":{"prompt_tokens":3,"completion_tokens":1}');
    for (const text of [
      chunk(said(0)) + chunk(stop(0)),
      chunk(said(0)) + chunk(stop(0)) + usage,
      chunk(stop(0)),
    ]) {
      expect(end(text)).toEqual({ output: text + DONE, complete: true });
      expect(end(text + DONE)).toEqual({ output: text + DONE, complete: true });
    }
  });

  it('is complete also when its last event lacks the blank line, or a comment follows', () => {
    expect(end(chunk(stop(0)).trimEnd())).toEqual({ output: chunk(stop(0)) + DONE, complete: true });
    const text = `${chunk(stop(0))}: bye\n\n`;
    expect(end(text)).toEqual({ output: text + DONE, complete: true });
  });

  it('is cut without a reason, with an empty one, or when only the connection ended', () => {
    const empty = chunk('{"index":0,"delta":{},"finish_reason":""}');
    for (const text of [chunk(said(0)), chunk(said(0)) + empty, chunk('')]) {
      expect(end(text)).toEqual({ output: text, complete: false });
    }
    const whole = chunk(said(0)) + chunk(stop(0));
    expect(end(whole, 'closed')).toEqual({ output: whole, complete: false });
  });

  it('is cut when one of its choices lacks its reason, however many chunks it has', () => {
    const many = Array.from({ length: 50 }, (_, index) => chunk(said(index % 3))).join('');
    expect(end(many + chunk(stop(0)) + chunk(stop(2))).complete).toBe(false);
    expect(end(many + chunk(stop(0)) + chunk(stop(2)) + chunk(stop(1))).complete).toBe(true);
    expect(end(many + chunk(`${stop(0)},${stop(1)},${stop(2)}`)).complete).toBe(true);
    expect(end(chunk(said(0)).repeat(20) + chunk(said(1)) + chunk(stop(0))).complete).toBe(false);
  });

  it('is cut when it ends inside of an event', () => {
    for (const half of ['data: {"choices"', 'data: [DON', ': bye', 'da']) {
      expect(end(chunk(stop(0)) + half).complete, half).toBe(false);
    }
  });

  it('is cut when an error came with it or behind it', () => {
    const error = 'data: {"error":{"message":"boom"}}\n\n';
    expect(end(chunk(stop(0)) + error).complete).toBe(false);
  });
});
