import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sleep, until } from '../support/processes.ts';
import { startWorld, type World } from '../support/world.ts';
import { RACE_CATALOG } from './catalog.ts';
import { type Answered, ask, openWallet, parallel, tally } from './wallet.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld({ catalog: RACE_CATALOG });
});
afterAll(() => world?.close());

const POLICY = { one: 2, sevenAtOnce: 4, both: 6, tokens: 7 } as const;

async function keyWith(policy: keyof typeof POLICY): Promise<string> {
  const wallet = await openWallet(world, { credits: 1_000_000 });
  return wallet.newKey(POLICY[policy]);
}

const quick = (key: string): Promise<Answered> => ask(world, { key, max: 10, directive: 'tokens=2' });

describe('concurrency', () => {
  test('frees a place after every way a call can end', async () => {
    const key = await keyWith('sevenAtOnce');
    const cleanup = [
      'fault=reset@3',
      'fault=status@500',
      'fault=status@400',
      'fault=html',
      'cut=2',
      'tokens=2',
    ];
    for (const ending of cleanup) {
      const directive = `tokens=5 ${ending}`;
      await parallel(7, () => ask(world, { key, max: 10, directive, stream: true }).catch(() => undefined));
    }
    const leaving = new AbortController();
    const left = parallel(7, (index) =>
      fetch(`${world.url}/v1/chat/completions`, {
        method: 'POST',
        headers: world.headers(key),
        signal: leaving.signal,
        body: JSON.stringify({
          model: 'round',
          stream: true,
          messages: [{ role: 'user', content: `[[sim tokens=500 pace=20 delay=${index * 20}]]` }],
        }),
      }).then((response) => response.text()),
    );
    await sleep(300);
    leaving.abort();
    await expect(left).rejects.toThrow();
    await world.settled();
    const answers = await parallel(7, () => quick(key));
    expect(answers.map(({ status }) => status)).toEqual(Array(7).fill(200));
  });
});

describe('a refused call consumes nothing', () => {
  test('of the window when concurrency refuses it', async () => {
    const key = await keyWith('both');
    const running = parallel(2, () => ask(world, { key, max: 10, directive: 'tokens=2 delay=5000' }));
    await until(() => world.simulator.stats.open === 2);
    expect(tally(await parallel(30, () => quick(key)))).toEqual({ 42901: 30 });
    expect(tally(await running)).toEqual({ 200: 2 });
    const answers: Answered[] = [];
    for (let turn = 0; turn < 5; turn++) answers.push(await quick(key));
    expect(tally(answers)).toEqual({ 200: 3, 42902: 2 });
  });

  test('of the window when there is no money for it', async () => {
    const wallet = await openWallet(world, { credits: 0.5 });
    const key = await wallet.newKey(POLICY.one);
    for (let turn = 0; turn < 3; turn++) {
      expect(await ask(world, { key, max: 10, directive: 'tokens=10' })).toMatchObject({ code: 40201 });
    }
  });

  test('of the money when the window refuses it', async () => {
    const wallet = await openWallet(world, { credits: 10 });
    const key = await wallet.newKey(POLICY.one);
    const answers = await parallel(5, () => ask(world, { key, max: 10, directive: 'tokens=10' }));
    expect(tally(answers)).toEqual({ 200: 1, 42902: 4 });
    await world.settled();
    expect((await wallet.funds()).credits).toBe(9_000_000n);
  });
});

describe('a window', () => {
  test('of tokens takes the estimate at entry and the truth at exit', async () => {
    const key = await keyWith('tokens');
    expect((await ask(world, { key, max: 200, directive: 'tokens=150' })).status).toBe(200);
    const refused = await quick(key);
    expect(refused).toMatchObject({ status: 429, code: 42903 });
    expect(refused.headers.get('x-tollgate-limit')).toContain('tokens; limit=100; used=');
  });
});

describe('a policy counts', () => {
  test('per key when it belongs to the key', async () => {
    const wallet = await openWallet(world, { credits: 1_000 });
    const keys = [await wallet.newKey(POLICY.one), await wallet.newKey(POLICY.one)];
    for (const key of keys) {
      expect(tally(await parallel(10, () => quick(key)))).toEqual({ 200: 1, 42902: 9 });
    }
  });

  test('per account when it is the default, for any key', async () => {
    const standard = '{ id: 1, name: default, concurrency: 100000, windows: [] }';
    const strict = '{ id: 1, name: default, windows: [{ dimension: requests, seconds: 3600, limit: 4 }] }';
    const other = await startWorld({ catalog: RACE_CATALOG.replace(standard, strict) });
    try {
      const wallet = await openWallet(other, { credits: 1_000 });
      const second = await other.newKey('user@example.com');
      const third = await other.newKey('user@example.com');
      const mixed = await parallel(40, (index) =>
        ask(other, { key: index % 2 === 0 ? second : third, max: 10, directive: 'tokens=2' }),
      );
      expect(tally(mixed)).toEqual({ 200: 4, 42902: 36 });
      const stranger = await ask(other, { key: wallet.key, max: 10, directive: 'tokens=2' });
      expect(stranger.status).toBe(200);
    } finally {
      await other.close();
    }
  });
});
