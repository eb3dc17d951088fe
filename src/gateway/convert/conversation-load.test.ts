import { afterEach, expect, it, vi } from 'vitest';
import { isRefusal } from '../../kernel/errors.ts';
import { getDialect } from '../../protocol/registry.ts';
import type { GatewayDeps } from '../attempt/attempt-context.ts';
import type { Call } from '../call.ts';
import { loadConversation } from './conversation-load.ts';

afterEach(() => vi.restoreAllMocks());

const raw = {
  body: Buffer.from('{"model":"m","input":[{"type":"message","role":"user","content":"Hi"}]}'),
  contentType: 'application/json',
  path: undefined,
};
const call = { caller: { account: { id: 1 } } } as Call;

it('a conversation load returns its memory when the completed request cannot be read', async () => {
  const facts = await getDialect('responses').readRequest(raw);
  if (isRefusal(facts) || facts.memory === undefined) throw new Error('not a request');
  const referring = { ...facts, memory: { ...facts.memory, refers: true } };
  let used = 0;
  const bodies = {
    take: (_accountId: number, bytes: number) => {
      used += bytes;
      return true;
    },
    give: (_accountId: number, bytes: number) => {
      used -= bytes;
    },
  };
  const deps = { bodies, conversations: {} } as GatewayDeps;
  const whole = await loadConversation(call, { raw, facts: referring }, deps);
  if (isRefusal(whole)) throw new Error(whole.message);
  expect(used).toBeGreaterThan(0);
  whole.release();
  expect(used).toBe(0);
  vi.spyOn(getDialect('responses'), 'readRequest').mockImplementation(() => {
    throw new Error('a mistake of ours');
  });
  await expect(loadConversation(call, { raw, facts: referring }, deps)).rejects.toThrow('a mistake of ours');
  expect(used).toBe(0);
});
