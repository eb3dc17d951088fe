import { describe, expect, test } from 'vitest';
import { someRequest } from '../../../test/support/hub.ts';
import type { Route } from '../../catalog/contract.ts';
import type { Protocol } from '../../kernel/protocol-name.ts';
import { canServe, vendorProtocols } from './route-protocols.ts';

const speaking = (...protocols: Protocol[]): Route => ({ protocols }) as unknown as Route;

describe('the protocols of a route', () => {
  test('are the client’s own or any other text protocol', () => {
    expect(canServe(speaking('chat'), 'chat')).toBe(true);
    expect(canServe(speaking('gemini'), 'responses')).toBe(true);
    expect(canServe(speaking('images'), 'messages')).toBe(false);
    expect(canServe(speaking('chat'), 'images')).toBe(false);
    expect(canServe(speaking('chat', 'gemini'), 'images')).toBe(true);
  });

  test('are the client’s own for what is never converted', () => {
    for (const protocol of ['moderations', 'rerank', 'completions'] as const) {
      expect(canServe(speaking(protocol), protocol)).toBe(true);
      expect(canServe(speaking('chat', 'gemini', 'images', 'embeddings'), protocol)).toBe(false);
      expect(canServe(speaking(protocol), 'chat')).toBe(false);
      expect(canServe(speaking(protocol), 'images')).toBe(false);
    }
  });

  test('start with the one that carries reasoning, when the vendor has several', () => {
    const request = someRequest({ client: 'messages' });
    expect(vendorProtocols(speaking('chat', 'responses'), request)).toEqual(['responses', 'chat']);
  });

  test('contain only Chat Completions for what only that protocol can express', () => {
    const route = speaking('responses', 'chat');
    for (const wish of [{ stop: ['END'] }, { answers: 2 }]) {
      expect(vendorProtocols(route, someRequest({ client: 'gemini', ...wish }))).toEqual([
        'chat',
        'responses',
      ]);
    }
    expect(vendorProtocols(speaking('responses'), someRequest({ client: 'gemini', stop: ['END'] }))).toEqual([
      'responses',
    ]);
  });
});
