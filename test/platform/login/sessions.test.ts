import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startWorld, type World } from '../../support/world.ts';

const AUTH = '/api/v1/user/auth';
const PASSWORD = 'a long enough password';
let world: World;
let emails = 0;

beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.close());

interface Session {
  readonly id: string;
  readonly current: boolean;
  readonly user_agent: string;
  readonly address: string;
  readonly last_seen_at: string;
}

/** An account, and its logins from several programs. */
async function logins(...programs: readonly string[]): Promise<readonly string[]> {
  const email = `sessions-${++emails}@example.com`;
  const tokens: string[] = [];
  for (const [at, program] of programs.entries()) {
    const path = `${AUTH}/${at === 0 ? 'register' : 'login'}`;
    const headers = { 'user-agent': program };
    const { body } = await world.api('POST', path, { body: { email, password: PASSWORD }, headers });
    tokens.push(body.data.access_token);
  }
  return tokens;
}

const sessionsOf = async (token = ''): Promise<readonly Session[]> =>
  (await world.api('GET', `${AUTH}/sessions`, { token })).body.data;
const isIn = async (token = '') => (await world.api('GET', '/profile', { token })).body.code === 0;

describe('the sessions of an account', () => {
  test('are listed with program, address and last use; the current one is marked', async () => {
    const [first, second] = await logins('Firefox on Linux', 'curl');
    const found = await sessionsOf(second);
    expect(found.map((each) => [each.user_agent, each.current]).toSorted()).toEqual([
      ['Firefox on Linux', false],
      ['curl', true],
    ]);
    for (const each of found) expect(each.address).toBe('127.0.0.1');
    // No text in the list opens anything.
    for (const token of [first, second]) expect(JSON.stringify(found)).not.toContain(token);
  });

  test('have the time of their last use, to the minute', async () => {
    const [token] = await logins('a program');
    await world.database.query("update sessions set used_at = now() - interval '2 hours'");
    const [before] = await world.database.query<{ used_at: Date }>('select used_at from sessions limit 1');
    const [session] = await sessionsOf(token);
    const seen = Date.parse(`${session?.last_seen_at.replace(' ', 'T')}Z`);
    expect(seen).toBeGreaterThan((before?.used_at.getTime() ?? 0) + 3_600_000);
  });

  test('are ended one by one, at once', async () => {
    const [first, second] = await logins('one', 'two');
    const other = (await sessionsOf(second)).find(({ current }) => !current);
    const { body } = await world.api('DELETE', `${AUTH}/sessions/${other?.id}`, { token: second ?? '' });
    expect(body.data).toEqual({ ended_sessions: 1 });
    expect([await isIn(first), await isIn(second)]).toEqual([false, true]);
    const again = await world.api('DELETE', `${AUTH}/sessions/${other?.id}`, { token: second ?? '' });
    expect([again.status, again.body.code]).toEqual([404, 1004]);
  });

  test('of another account are not found', async () => {
    const [own] = await logins('mine');
    const [foreign] = await logins('theirs');
    const [session] = await sessionsOf(foreign);
    const { status, body } = await world.api('DELETE', `${AUTH}/sessions/${session?.id}`, {
      token: own ?? '',
    });
    expect([status, body.code, await isIn(foreign)]).toEqual([404, 1004, true]);
  });

  test('are ended together, except the current one', async () => {
    const [first, second, third] = await logins('one', 'two', 'three');
    const { body } = await world.api('DELETE', `${AUTH}/sessions`, { token: second ?? '' });
    expect(body.data).toEqual({ ended_sessions: 2 });
    expect([await isIn(first), await isIn(second), await isIn(third)]).toEqual([false, true, false]);
    expect(await sessionsOf(second)).toHaveLength(1);
  });
});
