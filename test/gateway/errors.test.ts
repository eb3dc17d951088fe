import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ERRORS } from '../../src/kernel/errors.ts';
import type { World } from '../support/world.ts';
import { chat, perform } from './ask.ts';
import { ERROR_CASES } from './error-cases.ts';
import { startErrorWorld } from './error-world.ts';

let world: World;
beforeAll(async () => {
  world = await startErrorWorld();
});
afterAll(() => world.close());

interface ErrorBody {
  readonly code: number;
  readonly message: string;
  readonly error: Readonly<Record<string, string>>;
  readonly type?: string;
  readonly request_id?: string;
}

/** An error of ours says the same in each protocol, and has what that protocol's clients look for. */
const PROTOCOLS: readonly (readonly [string, string])[] = [
  ['/v1/chat/completions', 'Chat Completions'],
  ['/v1/responses', 'Responses'],
  ['/v1/images/generations', 'Images'],
  ['/v1/messages', 'Messages'],
  ['/v1beta/models/gpt-5:generateContent', 'generate-content'],
];

describe('the body of an error', () => {
  for (const [path, name] of PROTOCOLS) {
    it(`has the form of rule I-40 in ${name}`, async () => {
      const answer = await perform(world.url, { ...chat('sk-garbage'), path });
      const body = JSON.parse(answer.body) as ErrorBody;
      const message = ERRORS.keyInvalid.message;
      const error = { type: 'gateway_error', code: '40101', message };
      const requestId = answer.headers['x-request-id'];
      if (path.includes('messages')) {
        expect(body).toEqual({ type: 'error', code: 40101, message, error, request_id: requestId });
        expect(answer.headers['request-id']).toBe(requestId);
      } else if (path.includes('models')) {
        expect(body).toEqual({ code: 40101, message, error: { ...error, status: 'UNAUTHENTICATED' } });
      } else {
        expect(body).toEqual({ code: 40101, message, error });
      }
    });
  }
});

describe('the errors of the gateway', () => {
  for (const { code, status, when, message, headers = {}, fields = {}, ask } of ERROR_CASES) {
    it(`${code} is answered ${when}`, async () => {
      const answer = await perform(world.url, await ask(world));
      const body = JSON.parse(answer.body) as ErrorBody;
      expect([answer.status, body.code, body.message]).toEqual([
        status,
        code,
        typeof message === 'string' ? message : expect.stringMatching(message),
      ]);
      const error = { type: 'gateway_error', code: String(code), message: body.message };
      expect(body.error).toEqual({ ...error, ...fields });
      expect(Object.keys(body).toSorted()).toEqual(['code', 'error', 'message']);
      expect(answer.headers['x-request-id']).toMatch(/^[\w-]{10,}$/);
      expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
      if (status === 429 || status === 503) expect(answer.headers['retry-after']).toMatch(/^[1-9]\d*$/);
      // Nobody sits out more than that in silence, and a wrong name stays wrong: SDKs are told not to try.
      const isVain = Number(answer.headers['retry-after'] ?? 0) > 5 || code === 50201;
      expect(answer.headers['x-should-retry']).toBe(isVain ? 'false' : undefined);
      for (const [name, pattern] of Object.entries(headers)) {
        if (pattern === undefined) expect(answer.headers[name]).toBeUndefined();
        else expect(answer.headers[name]).toMatch(pattern);
      }
    });
  }

  it('have a case for each code except the one for internal faults', () => {
    const tried = new Set(ERROR_CASES.map(({ code }) => code));
    const untried = Object.values(ERRORS).filter(({ code }) => !tried.has(code));
    expect(untried.map(({ code }) => code)).toEqual([ERRORS.internal.code]);
  });
});
