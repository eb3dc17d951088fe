import { makePlaygroundKey } from '../../store/accounts/playground-keys.ts';
import { PLAYGROUND_KEY_MS } from '../bounds.ts';
import { ownAccount } from '../context.ts';
import { fail } from '../failure.ts';
import { TIME } from '../fields.ts';
import { data, type Operation, operation } from '../operation.ts';
import { Type } from '../schema.ts';

const create = operation({
  ...{ surface: 'user', access: 'user', tag: 'API keys' },
  name: 'playground.key',
  id: 'createPlaygroundKey',
  method: 'POST',
  path: '/playground/key',
  title: 'Create a playground key',
  summary: 'An API key for an hour at most. It replaces the one before and ends with the login.',
  data: Type.Object({
    secret: Type.String({ description: 'The key. It is shown only here and not stored.' }),
    prefix: Type.String(),
    expires_at: TIME,
  }),
  example: {
    data: {
      secret: 'tg-0a1b2c3d4e5f6g7h8j9kmnpqrstvwxyz0a1b2c3d',
      prefix: 'tg-0a1b2c',
      expires_at: '2026-11-15 10:05:00',
    },
  },
  handle: async (_input, context) => {
    const { database, clock, random, caller } = context;
    const nowMs = clock.now();
    const login = { accountId: ownAccount(context), sessionId: caller?.sessionId ?? '', nowMs };
    const made = await makePlaygroundKey(
      database,
      { ...login, expiresAtMs: nowMs + PLAYGROUND_KEY_MS },
      random,
    );
    if (made === undefined) return fail('notLoggedIn');
    await context.inForce();
    const { text, prefix, expiresAtMs } = made;
    return data({ secret: text, prefix, expires_at: context.showTime(expiresAtMs) });
  },
});

/** Listed nowhere else: a key of the playground belongs to a login, not to the account's keys. */
export const playgroundOperations: readonly Operation[] = [create];
