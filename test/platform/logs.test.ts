import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { updateAccount } from '../../src/store/accounts/accounts.ts';
import { announceAndWait } from '../../src/store/changes.ts';
import { codeOf, type Member, MemberWorld, newKey } from './members.ts';

/** Asia/Kolkata is half an hour off the hours of the roll-up: whatever is exact there is exact everywhere. */
const TIME_ZONE = 'Asia/Kolkata';

let members: MemberWorld;
let member: Member;
let stranger: Member;
let key: { id: number; api_key: string };

beforeAll(async () => {
  members = await MemberWorld.start({ TOLLGATE_TIMEZONE: TIME_ZONE });
  [member, stranger] = await Promise.all([
    members.member({ credits: 5_000n, yuan: 10n }),
    members.member({ credits: 5_000n }),
  ]);
  key = await newKey(member, { name: 'the "first", key' });
  const foreign = await newKey(stranger, { name: 'CANARY of a stranger' });
  for (const model of ['gpt', 'claude', 'gpt']) await members.call(key.api_key, model, 'tokens=400');
  await members.call(foreign.api_key, 'claude');
  const unknown = await members.call(key.api_key, 'no-such-model');
  expect(await codeOf(unknown)).toBe(50201);
  await stream();
  await members.world.settled();
});
afterAll(() => members.close());

/** In the messages protocol, converted to the vendor's. */
async function stream(): Promise<void> {
  const messages = [{ role: 'user', content: 'hello [[sim tokens=300]]' }];
  const body = { model: 'gpt', max_tokens: 500, stream: true, messages };
  const response = await members.world.post('/v1/messages', body, members.world.headers(key.api_key));
  expect(await response.text()).toContain('message_stop');
}

type Row = Record<string, never> & Record<string, unknown>;

async function page(path: string, who = member): Promise<{ rows: readonly Row[]; total: number }> {
  const { status, body } = await who.ask('GET', path);
  expect([status, body.code]).toEqual([200, 0]);
  return { rows: body.data, total: body.total ?? -1 };
}

/** The fields of a call (rule I-78). */
const CALL_FIELDS = [
  ...['id', 'request_id', 'model_id', 'model_used', 'protocol', 'upstream_protocol', 'stream', 'status'],
  ...['error_code', 'input_tokens', 'output_tokens', 'cache_read_tokens', 'cache_write_tokens'],
  ...['reasoning_tokens', 'images', 'amount', 'credits', 'payer', 'subscription_covered', 'free_reason'],
  ...['rates', 'verdict', 'estimated', 'ttft_ms', 'duration_ms', 'attempts', 'dropped_fields', 'key_id'],
  ...['key_name', 'created_at'],
];

describe('rule I-78: the call log', () => {
  test('has model, protocol, token counts, duration and error code of every call, newest first', async () => {
    const { rows, total } = await page('/call-log/page');
    expect([rows.length, total]).toEqual([5, 5]);
    for (const row of rows) expect(Object.keys(row).toSorted()).toEqual(CALL_FIELDS.toSorted());
    expect(rows.map(({ model_id }) => model_id)).toEqual(['gpt', 'no-such-model', 'gpt', 'claude', 'gpt']);
    expect(rows[0]).toMatchObject({
      ...{
        protocol: 'messages',
        upstream_protocol: 'responses',
        stream: true,
        status: 200,
        error_code: null,
      },
      ...{ verdict: 'complete', payer: 'credits', attempts: 1, key_id: key.id, key_name: 'the "first", key' },
    });
    expect(rows[1]).toMatchObject({
      status: 502,
      error_code: 50201,
      credits: '0',
      rates: null,
      payer: 'none',
    });
    const truth = members.world.simulator.truth.all().at(-1);
    expect([rows[0]?.input_tokens, rows[0]?.output_tokens]).toEqual([
      truth?.inputTokens,
      truth?.outputTokens,
    ]);
  });

  test('has times of the configured time zone', async () => {
    const { rows } = await page('/call-log/page?size=1');
    const shown = Date.parse(`${String(rows[0]?.created_at).replace(' ', 'T')}+05:30`);
    expect(Math.abs(shown - Date.now())).toBeLessThan(120_000);
  });

  test('has a snapshot of the rate at call time: later rate changes do not alter past records', async () => {
    const before = await page('/call-log/page?size=1');
    expect(before.rows[0]?.rates).toMatchObject({ system_rate: 90, user_rate: 100, rate_multiplier: 1 });
    await updateAccount(members.world.database, member.id, { userRateMicro: 50_000_000n });
    await announceAndWait(members.world.database);
    const after = await page('/call-log/page?size=1');
    expect(after.rows).toEqual(before.rows);
    await updateAccount(members.world.database, member.id, { userRateMicro: 100_000_000n });
    await announceAndWait(members.world.database);
  });

  test('has a flag subscription_covered for calls covered by a subscription', async () => {
    const covered = await members.member({ plan: 'PRO' });
    const own = await newKey(covered);
    await members.call(own.api_key, 'gpt');
    await members.world.settled();
    const { rows } = await page('/call-log/page', covered);
    expect(rows).toMatchObject([
      { subscription_covered: true, payer: 'subscription', credits: '0', free_reason: 'covered' },
    ]);
    expect(rows[0]?.amount).not.toBe('0');
  });

  test.each([
    ['model=gpt', ['gpt', 'gpt', 'gpt']],
    ['status=ok', ['gpt', 'gpt', 'claude', 'gpt']],
    ['status=failed', ['no-such-model']],
    ['status=502', ['no-such-model']],
    ['protocol=messages', ['gpt']],
    ['protocol=images', []],
    ['model=%25', []],
    ["model=gpt'%20or%20true--", []],
  ])('is filtered by %s', async (query, models) => {
    const { rows, total } = await page(`/call-log/page?${query}`);
    expect(rows.map(({ model_id }) => model_id)).toEqual(models);
    expect(total).toBe(models.length);
  });

  test('is filtered by the key, of the own account only', async () => {
    expect((await page(`/call-log/page?key_id=${key.id}`)).total).toBe(5);
    expect(await page(`/call-log/page?key_id=${key.id}`, stranger)).toEqual({ rows: [], total: 0 });
    expect(await page('/call-log/page?key_id=9007199254740991')).toEqual({ rows: [], total: 0 });
  });

  test('is filtered by a time range, to the second, from inclusive and to exclusive', async () => {
    const { rows } = await page('/call-log/page');
    const times = rows.map(({ created_at }) => String(created_at));
    const first = times.at(-1) ?? '';
    const within = async (query: string) => (await page(`/call-log/page?${query}`)).total;
    expect(await within(`from=${encodeURIComponent(first)}`)).toBe(5);
    expect(await within(`to=${encodeURIComponent(first)}`)).toBe(0);
    expect(await within('from=2020-01-01%2000:00:00&to=2021-01-01%2000:00:00')).toBe(0);
    expect(await within('from=1960-01-01%2000:00:00&to=9999-12-31%2023:59:59')).toBe(5);
  });

  test('has pages without gap or repetition', async () => {
    const whole = await page('/call-log/page');
    const single: Row[] = [];
    for (let number = 1; number <= 6; number++) {
      const { rows, total } = await page(`/call-log/page?size=1&page=${number}`);
      expect(total).toBe(5);
      single.push(...rows);
    }
    expect(single).toEqual(whole.rows);
    expect(await page('/call-log/page?page=1000000000')).toEqual({ rows: [], total: 5 });
  });

  test('has a detail with the attempts and the receipt', async () => {
    const { rows } = await page('/call-log/page');
    for (const row of rows) {
      const { body } = await member.ask('GET', `/call-log/detail/${row.id}`);
      const { tries, receipt, ...call } = body.data;
      expect(call).toMatchObject(row);
      expect(tries).toHaveLength(Number(row.attempts));
      if (row.rates === null) expect(receipt).toBeNull();
      else
        expect(receipt).toMatchObject({ call_id: row.request_id, credits: row.credits, amount: row.amount });
    }
  });

  test('answers for a call of another account exactly as for an absent one', async () => {
    const { rows } = await page('/call-log/page', stranger);
    const foreign = await member.ask('GET', `/call-log/detail/${rows[0]?.id}`);
    const absent = await member.ask('GET', '/call-log/detail/9007199254740991');
    expect([foreign.status, foreign.body]).toEqual([404, absent.body]);
    expect(foreign.body.code).toBe(1004);
  });
});

describe('rule I-79: the consumption log', () => {
  test('has the breakdown of each charge, which can be recomputed', async () => {
    const { rows, total } = await page('/consumption-log/page');
    expect([rows.length, total]).toEqual([4, 4]);
    const calls = await page('/call-log/page?status=200');
    expect(rows.map(({ call_id }) => call_id)).toEqual(calls.rows.map(({ request_id }) => request_id));
    for (const row of rows) {
      expect(Object.keys(row).toSorted()).toEqual(
        ['id', 'call_id', 'amount', 'credits', 'shortfall', 'receipt', 'created_at'].toSorted(),
      );
      const receipt = row.receipt as unknown as Receipt;
      const list = receipt.lines.reduce(
        (sum, line) => sum + (line.quantity * Number(line.price)) / line.per,
        0,
      );
      const product = receipt.rates.reduce((value, { factor }) => value * Number(factor), list);
      expect(Number(row.amount)).toBeCloseTo(product, 5);
      expect(Number(row.credits)).toBeCloseTo(Number(row.amount) * receipt.credits_per_yuan, 6);
      expect(receipt.entries).toMatchObject([{ kind: 'consumption', change: `-${row.credits}` }]);
      // Which credential of the platform served is the operator's affair.
      expect(JSON.stringify(receipt)).not.toContain('openai-main');
    }
  });

  test('takes the filters of the call log', async () => {
    expect((await page('/consumption-log/page?model=claude')).total).toBe(1);
    expect((await page('/consumption-log/page?protocol=messages&status=200')).total).toBe(1);
    expect((await page('/consumption-log/page?status=502')).total).toBe(0);
    expect((await page(`/consumption-log/page?key_id=${key.id}&size=2&page=2`)).rows).toHaveLength(2);
  });
});

interface Receipt {
  readonly lines: readonly { readonly quantity: number; readonly price: string; readonly per: number }[];
  readonly rates: readonly { readonly factor: string }[];
  readonly credits_per_yuan: number;
  readonly entries: readonly unknown[];
}

describe('rule I-79: the balance log', () => {
  test('has changes of balance and Credits: top-up, exchange, consumption, each with the remaining amount', async () => {
    await member.ask('POST', '/points/exchange', { amount: '2.5' });
    const { rows, total } = await page('/balance-log/page');
    expect(rows.map(({ kind, pool }) => `${kind} ${pool}`)).toEqual([
      ...['exchange credits', 'exchange balance'],
      ...Array.from({ length: 4 }, () => 'consumption credits'),
      ...['top_up balance', 'top_up credits'],
    ]);
    expect(total).toBe(8);
    for (const row of rows) {
      expect(Object.keys(row).toSorted()).toEqual(
        ['id', 'kind', 'pool', 'change', 'after', 'ref', 'call_id', 'model', 'created_at'].toSorted(),
      );
      expect(row.call_id).toBe(row.kind === 'consumption' ? row.ref : null);
    }
    expect(rows.map(({ model }) => model)).toEqual([
      ...[null, null],
      ...(await page('/call-log/page?status=200')).rows.map(({ model_used }) => model_used),
      ...[null, null],
    ]);
    expect(rows[0]).toMatchObject({ change: '2500' });
    expect(rows[1]).toMatchObject({ change: '-2.5', after: '7.5' });
    const { body } = await member.ask('GET', '/ext');
    expect([rows[0]?.after, rows[1]?.after]).toEqual([body.data.credits, body.data.balance]);
    const { rows: calls } = await page('/call-log/page?status=200');
    expect(
      rows
        .slice(2, 6)
        .map(({ ref }) => ref)
        .toSorted(),
    ).toEqual(calls.map(({ request_id }) => request_id).toSorted());
  });

  test('is paged and filtered by a range', async () => {
    const whole = await page('/balance-log/page');
    expect((await page('/balance-log/page?size=3&page=2')).rows).toEqual(whole.rows.slice(3, 6));
    const first = encodeURIComponent(String(whole.rows.at(-1)?.created_at));
    expect((await page(`/balance-log/page?from=${first}`)).total).toBe(8);
    expect((await page(`/balance-log/page?to=${first}`)).total).toBe(0);
  });

  test('is filtered by pool, also as a file', async () => {
    const whole = await page('/balance-log/page');
    for (const pool of ['balance', 'credits']) {
      const wanted = whole.rows.filter((row) => row.pool === pool);
      expect(await page(`/balance-log/page?pool=${pool}`)).toMatchObject({
        rows: wanted,
        total: wanted.length,
      });
      const { body } = await member.ask('GET', `/balance-log/export?pool=${pool}`);
      expect(String(body.data).trim().split('\r\n')).toHaveLength(1 + wanted.length);
    }
    expect((await member.ask('GET', '/balance-log/page?pool=gold')).body.code).toBe(1001);
  });
});

describe('a reconciliation', () => {
  test('of the call log with the balance log has equal sums', async () => {
    const calls = await page('/call-log/page');
    const charged = calls.rows.reduce((sum, { credits }) => sum + Number(credits), 0);
    const entries = await page('/balance-log/page');
    const taken = entries.rows.filter(({ kind }) => kind === 'consumption');
    expect(taken.reduce((sum, { change }) => sum - Number(change), 0)).toBeCloseTo(charged, 6);
  });
});

describe('an export', () => {
  const lines = (text: string): readonly string[] => text.split('\r\n');

  test('of the call log as CSV has every call of the filter', async () => {
    const { headers, body } = await member.ask('GET', '/call-log/export?format=csv');
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(headers.get('content-disposition')).toMatch(
      /^attachment; filename="call-log-\d{4}-\d\d-\d\d\.csv"$/,
    );
    const [head, ...rows] = lines(body.data);
    expect(head).toMatch(/^id,request_id,created_at,model_id,/);
    expect(rows).toHaveLength(6);
    expect(rows.at(-1)).toBe('');
    // Quotes and commas of a name stay within their cell.
    expect(rows[0]).toMatch(/,"the ""first"", key"$/);
    expect(body.data).not.toContain('CANARY');
    const { body: failed } = await member.ask('GET', '/call-log/export?status=failed');
    expect(lines(failed.data)).toHaveLength(3);
  });

  test('disarms a cell that a spreadsheet would run, and keeps figures as figures', async () => {
    const evil = await newKey(member, { name: '=HYPERLINK("http://evil.example")' });
    await members.call(evil.api_key, 'gpt');
    await members.world.settled();
    const { body: calls } = await member.ask('GET', `/call-log/export?key_id=${evil.id}`);
    expect(calls.data).toContain(`"'=HYPERLINK(""http://evil.example"")"`);
    const { body: balance } = await member.ask('GET', '/balance-log/export');
    expect(lines(balance.data)[1]).toMatch(/^\d+,[^,]+,consumption,credits,-[\d.]+,[\d.]+,req_\w{26}$/);
  });

  test('of the consumption log as CSV has every charge', async () => {
    const { body } = await member.ask('GET', '/consumption-log/export?model=claude');
    const [head, row, end] = lines(body.data);
    expect(head).toBe(
      'id,call_id,created_at,model,payer,list_amount,amount,charge,exchanged,credits,shortfall,free_reason',
    );
    expect(row).toMatch(/^\d+,req_\w{26},[^,]+,claude,credits,/);
    expect(end).toBe('');
  });

  test.each([
    '/call-log/page',
    '/call-log/detail/1',
    '/consumption-log/page',
    '/balance-log/page',
    '/stats/overview',
    '/call-log/export',
  ])('of %s needs a login, and an API key is none', async (path) => {
    for (const token of [undefined, key.api_key]) {
      const { status, body } = await members.world.api('GET', path, token === undefined ? {} : { token });
      expect([status, body.code]).toEqual([401, 1002]);
    }
  });
});

test('a forwarded address counts only behind a trusted proxy: feedback has to wait otherwise', async () => {
  const send = (address: string) =>
    members.world.api('POST', '/feedback', {
      body: { content: 'hello' },
      headers: { 'x-forwarded-for': address },
    });
  expect((await send('192.0.2.1')).status).toBe(200);
  expect((await send('192.0.2.2')).status).toBe(429);
});
