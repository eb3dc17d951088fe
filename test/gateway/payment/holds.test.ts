import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { updateAccount } from '../../../src/store/accounts/accounts.ts';
import { announceAndWait } from '../../../src/store/changes.ts';
import { examine } from '../../../src/store/operations/doctor.ts';
import { openWallet, parallel, type Wallet, type WalletOptions } from '../../race/wallet.ts';
import { STANDARD_CATALOG, startWorld, type World } from '../../support/world.ts';

const CENT_A_DAY = 90;
const CATALOG = STANDARD_CATALOG.replace(
  'accounts:\n',
  `  - { id: ${CENT_A_DAY}, name: cent, windows: [{ dimension: amount, seconds: 86400, limit: "0.01" }] }\naccounts:\n`,
);

let world: World;
beforeAll(async () => {
  world = await startWorld({ catalog: CATALOG });
});
afterAll(() => world?.close());

afterEach(async () => {
  await world.settled();
  const rows = await world.database.query('select * from consumptions where shortfall_micro > 0');
  expect(rows).toEqual([]);
  expect(await examine(world.database)).toEqual([]);
});

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly code: number | undefined;
  readonly message: string;
}

async function post(wallet: Wallet, path: string, body: object): Promise<Answer> {
  const response = await world.post(path, body, { authorization: `Bearer ${wallet.key}` });
  const text = await response.text().catch(() => 'reset');
  const said = response.status === 200 ? {} : (JSON.parse(text) as { code?: number; message?: string });
  const { status, headers } = response;
  return { status, headers, text, code: said.code, message: said.message ?? '' };
}

const open = (options: WalletOptions): Promise<Wallet> => openWallet(world, options);
const images = (n: number) => ({ model: 'gpt-image-1', prompt: 'a gate', n });
const say = (directive: string) => [{ role: 'user', content: `[[sim ${directive}]]` }];
const heard = (tag: string) => world.simulator.truth.list(tag).length;

describe('images hold their whole price', () => {
  it('so that ten of them are not made for two Credits, and no vendor is asked', async () => {
    const wallet = await open({ credits: 2 });
    const answer = await post(wallet, '/v1/images/generations', images(10));
    expect([answer.status, answer.code]).toEqual([403, 40201]);
    expect(answer.message).toBe(
      'Insufficient Credits: the call may cost up to 3000 Credits, 2 are free. Not even one image fits.',
    );
    const [calls] = await world.database.query<{ count: bigint }>(
      'select count(*) from consumptions c join calls using (created_at, call_id) where calls.account_id = $1',
      [wallet.accountId],
    );
    expect(calls?.count).toBe(0n);
  });

  it('so that the number that fits is reported, and made', async () => {
    const wallet = await open({ credits: 700 });
    const answer = await post(wallet, '/v1/images/generations', images(3));
    expect(answer.message).toContain('It fits with "n": 2.');
    expect((await post(wallet, '/v1/images/generations', images(2))).status).toBe(200);
    await world.settled();
    expect((await wallet.funds()).credits).toBe(100_000_000n);
  });

  it('so that neither the monthly cap nor an amount window is exceeded', async () => {
    const capped = await open({ credits: 50_000, cap: 0.01 });
    const cap = await post(capped, '/v1/images/generations', images(10));
    expect([cap.status, cap.code]).toEqual([403, 40204]);
    expect(cap.message).toContain('10 are left under the cap');
    const limited = await open({ credits: 50_000, policyId: CENT_A_DAY });
    const window = await post(limited, '/v1/images/generations', images(10));
    expect([window.status, window.code]).toEqual([429, 42902]);
    expect(window.headers.get('x-tollgate-limit')).toMatch(/^amount; limit=10000; .*scope=key$/);
  });
});

/** A plain call in each protocol, for a model of its own vendor and for one of another. */
const PLAIN = {
  chat: (directive: string) => ({
    path: '/v1/chat/completions',
    body: { model: 'gpt-5', messages: say(directive) },
  }),
  responses: (directive: string) => ({
    path: '/v1/responses',
    body: { model: 'gpt-5', input: say(directive) },
  }),
  messages: (directive: string) => ({
    path: '/v1/messages',
    body: { model: 'claude-sonnet-5', max_tokens: 60_000, messages: say(directive) },
  }),
  gemini: (directive: string) => ({
    path: '/v1beta/models/gemini-3-pro:generateContent',
    body: { contents: [{ role: 'user', parts: [{ text: `[[sim ${directive}]]` }] }] },
  }),
  'chat to Messages': (directive: string) => ({
    path: '/v1/chat/completions',
    body: { model: 'claude-sonnet-5', messages: say(directive) },
  }),
  'messages to generateContent': (directive: string) => ({
    path: '/v1/messages',
    body: { model: 'gemini-3-pro', max_tokens: 60_000, messages: say(directive) },
  }),
  'generateContent to Responses': (directive: string) => ({
    path: '/v1beta/models/gpt-5:generateContent',
    body: { contents: [{ role: 'user', parts: [{ text: `[[sim ${directive}]]` }] }] },
  }),
} as const;

describe('a plain call whose maximum cannot be held', () => {
  it.each(Object.keys(PLAIN) as (keyof typeof PLAIN)[])(
    '%s: passes with a lower output limit',
    async (name) => {
      const wallet = await open({ credits: 40 });
      const tag = `low-${wallet.accountId}`;
      const { path, body } = PLAIN[name](`tag=${tag} tokens=5000`);
      const answer = await post(wallet, path, body);
      expect(answer.status, answer.text).toBe(200);
      const bound = Number(answer.headers.get('x-tollgate-max-output-tokens'));
      expect(bound).toBeGreaterThanOrEqual(256);
      const [truth] = world.simulator.truth.list(tag);
      expect(truth?.outputTokens).toBe(bound);
      await world.settled();
      const { credits } = await wallet.funds();
      expect(credits).toBeGreaterThanOrEqual(0n);
      // Less than one more token of the dearest model would cost.
      expect(credits).toBeLessThan(1_000_000n);
    },
  );

  it('is refused when less than the input and 256 tokens is available, with the amount that fits', async () => {
    const wallet = await open({ credits: 2 });
    const tag = `refused-${wallet.accountId}`;
    const { path, body } = PLAIN.chat(`tag=${tag} tokens=5000`);
    const answer = await post(wallet, path, body);
    expect([answer.status, answer.code, heard(tag)]).toEqual([403, 40201, 0]);
    const fits = Number(/It fits with "max_tokens": (\d+)\./.exec(answer.message)?.[1]);
    expect(answer.message).toMatch(
      /^Insufficient Credits: the call may cost up to [\d.]+ Credits, 2 are free\./,
    );
    const smaller = await post(wallet, path, { ...body, max_completion_tokens: fits });
    expect([smaller.status, smaller.headers.get('x-tollgate-max-output-tokens')]).toEqual([200, null]);
    expect(world.simulator.truth.list(tag).map(({ outputTokens }) => outputTokens)).toEqual([fits]);
  });

  it('is refused when its thinking budget does not fit into the hold', async () => {
    const wallet = await open({ credits: 60 });
    const answer = await post(wallet, '/v1/messages', {
      model: 'claude-sonnet-5',
      max_tokens: 60_000,
      thinking: { type: 'enabled', budget_tokens: 30_000 },
      messages: say('tokens=5000'),
    });
    expect([answer.status, answer.code]).toEqual([403, 40201]);
    expect(answer.message).toContain('The budget for thinking is too large');
  });

  it('passes unchanged when its maximum is held', async () => {
    const wallet = await open({ credits: 50_000 });
    const answer = await post(wallet, '/v1/chat/completions', {
      model: 'gpt-5',
      messages: say('tokens=50'),
    });
    expect([answer.status, answer.headers.get('x-tollgate-max-output-tokens')]).toEqual([200, null]);
  });
});

describe('many calls at once', () => {
  it.each([
    ['plain', {}],
    ['streamed', { stream: true }],
  ])('60 %s calls on 50 Credits deliver nothing unpaid', async (_name, more) => {
    const wallet = await open({ credits: 50 });
    const answers = await parallel(60, (index) =>
      post(wallet, '/v1/chat/completions', {
        model: 'gpt-5',
        messages: say(`tokens=400 delay=${index % 7} tag=many-${wallet.accountId}`),
        ...more,
      }),
    );
    const served = answers.filter(({ status }) => status === 200);
    expect(served.length).toBeGreaterThan(0);
    for (const { code } of answers) expect([undefined, 40201, 40202]).toContain(code);
    await world.settled();
    const { credits } = await wallet.funds();
    expect(credits).toBeGreaterThanOrEqual(0n);
  });

  it('a call without an output limit leaves three quarters to the others', async () => {
    const wallet = await open({ credits: 400 });
    const answers = await parallel(3, () =>
      post(wallet, '/v1/chat/completions', { model: 'gpt-5', messages: say('tokens=20 delay=300') }),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  });
});

describe('an account with balance and no Credits', () => {
  it('is told to exchange it, verified or not', async () => {
    const wallet = await open({ credits: 0, balance: 100 });
    await updateAccount(world.database, wallet.accountId, { userType: 0 });
    await announceAndWait(world.database);
    const { path, body } = PLAIN.chat('tokens=5');
    const answer = await post(wallet, path, body);
    expect([answer.status, answer.code]).toEqual([403, 40201]);
    expect(answer.message).toBe(
      'Insufficient Credits: none are left. Exchange balance into Credits, or switch auto-exchange on.',
    );
  });

  it('is told so also with a few Credits left', async () => {
    const wallet = await open({ credits: 1, balance: 100 });
    const { path, body } = PLAIN.chat('tokens=5');
    expect((await post(wallet, path, body)).message).toMatch(/switch auto-exchange on\.$/);
  });
});
