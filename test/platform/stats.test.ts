import { afterAll, beforeAll, describe, expect, test } from 'vitest';
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

describe('rule I-81: usage', () => {
  test('has an overview of today, this month and all, and the remaining amounts', async () => {
    const { body } = await member.ask('GET', '/stats/overview');
    const { rows } = await page('/call-log/page');
    const sum = (name: string) => rows.reduce((total, row) => total + Number(row[name]), 0);
    for (const period of ['today', 'month', 'total']) {
      expect(body.data[period]).toMatchObject({
        ...{ calls: 5, failed: 1, input_tokens: sum('input_tokens'), output_tokens: sum('output_tokens') },
      });
      expect(Number(body.data[period].credits)).toBeCloseTo(sum('credits'), 6);
    }
    const { body: ext } = await member.ask('GET', '/ext');
    const { balance, credits, month_spent, extra_api_quota } = ext.data;
    expect(body.data).toMatchObject({ balance, credits, month_spent, extra_api_quota });
  });

  test('has a trend with every hour or day of the range, also without calls', async () => {
    const { body: days } = await member.ask('GET', '/stats/trend');
    expect(days.data).toHaveLength(7);
    const [today] = (await page('/call-log/page?size=1')).rows;
    expect(days.data.at(-1)).toMatchObject({
      time: `${String(today?.created_at).slice(0, 10)} 00:00:00`,
      calls: 5,
    });
    expect(days.data[0].calls).toBe(0);
    const { body: hours } = await member.ask('GET', '/stats/trend?granularity=hour');
    expect(hours.data).toHaveLength(24);
    expect(hours.data.reduce((sum: number, { calls }: { calls: number }) => sum + calls, 0)).toBe(5);
    const range = 'from=2026-01-31%2013:00:00&to=2026-02-03%2000:00:00';
    const { body: past } = await member.ask('GET', `/stats/trend?${range}`);
    expect(past.data.map(({ time }: { time: string }) => time)).toEqual([
      ...['2026-01-31 00:00:00', '2026-02-01 00:00:00', '2026-02-02 00:00:00'],
    ]);
  });

  test('is grouped by model', async () => {
    const { body } = await member.ask('GET', '/stats/models');
    const byModel = new Map(body.data.map((row: { model_id: string }) => [row.model_id, row]));
    expect([...byModel.keys()].toSorted()).toEqual(['claude', 'gpt', 'no-such-model']);
    expect(byModel.get('gpt')).toMatchObject({ calls: 3, failed: 0 });
    expect(byModel.get('no-such-model')).toMatchObject({ calls: 1, failed: 1, amount: '0' });
    const { body: none } = await member.ask('GET', '/stats/models?to=2021-01-01%2000:00:00');
    expect(none.data).toEqual([]);
  });

  const NARROWED = [
    ...[
      '',
      'model=gpt',
      'model=no-such-model',
      'protocol=messages',
      'payer=none',
      'payer=credits',
      'status=200',
    ],
    ...['status=502&model=no-such-model', 'model=gpt&protocol=chat&payer=credits', 'model=nobody'],
  ];

  test.each([...NARROWED, 'key'])(
    'is the sum of the calls in every statistic, filtered by %s',
    async (text) => {
      const query = text === 'key' ? `key_id=${key.id}` : text;
      const { rows, total } = await page(`/call-log/page?${query}`);
      const sum = (some: readonly Row[], name: string) =>
        some.reduce((all, row) => all + Math.round(Number(row[name]) * 1e6), 0) / 1e6;
      const expectSum = (told: Record<string, unknown>, some: readonly Row[]) => {
        expect(told).toMatchObject({
          calls: some.length,
          failed: some.filter(({ status }) => Number(status) >= 400).length,
          input_tokens: sum(some, 'input_tokens'),
          output_tokens: sum(some, 'output_tokens'),
        });
        expect(Number(told.amount)).toBe(sum(some, 'amount'));
        expect(Number(told.credits)).toBe(sum(some, 'credits'));
        const times = some.filter(({ stream, ttft_ms: time }) => stream && time !== null);
        const mean = times.length === 0 ? null : Math.round(sum(times, 'ttft_ms') / times.length);
        expect(told.ttft_ms).toBe(mean);
      };
      const told = async (path: string) => (await member.ask('GET', `${path}?${query}`)).body.data;
      expectSum((await told('/stats/overview')).total, rows);
      expect((await told('/stats/overview')).total.calls).toBe(total);
      const days: Record<string, unknown>[] = await told('/stats/trend');
      expectSum(days.at(-1) ?? {}, rows);
      for (const [path, field] of [
        ['models', 'model_used'],
        ['keys', 'key_id'],
        ['protocols', 'protocol'],
        ['payers', 'payer'],
      ] as const) {
        const groups: Record<string, unknown>[] = await told(`/stats/${path}`);
        const name = field === 'model_used' ? 'model_id' : field;
        expect(groups.map((each) => each[name]).toSorted()).toEqual(
          [...new Set(rows.map((row) => row[field] ?? row.model_id))].toSorted(),
        );
        for (const each of groups) {
          const some = rows.filter((row) => (row[field] ?? row.model_id) === each[name]);
          expectSum(each, some);
        }
      }
      for (const by of ['model', 'key', 'protocol', 'payer']) {
        const { body } = await member.ask('GET', `/stats/series?by=${by}&groups=1&${query}`);
        const { times, groups } = body.data;
        expect(times).toHaveLength(7);
        const counts = groups.map(({ total: all }: { total: { calls: number } }) => all.calls);
        expect(counts.reduce((all: number, one: number) => all + one, 0)).toBe(total);
        for (const each of groups) expect(each.points).toHaveLength(7);
        expectSum(body.data.total, rows);
        expect(body.data.points).toHaveLength(7);
        expectSum(body.data.points.at(-1), rows);
        expect(body.data.before).toBe(null);
      }
    },
  );

  test('is compared with the same length of time before, up to the same moment', async () => {
    const [{ created_at: newest } = { created_at: '' }] = (await page('/call-log/page?size=1')).rows;
    const day = String(newest).slice(0, 10);
    // The calls of today are the period before in a range that begins tomorrow.
    const tomorrow = new Date(Date.parse(`${day}T00:00:00Z`) + 86_400_000).toISOString().slice(0, 10);
    const range = `from=${tomorrow}%2000:00:00&to=${tomorrow}%2023:59:59`;
    const { body } = await member.ask('GET', `/stats/series?compare=before&by=model&${range}`);
    const { before, groups, total } = body.data;
    expect([before.from, before.to]).toEqual([`${day} 00:00:00`, `${day} 23:59:59`]);
    const { body: models } = await member.ask('GET', '/stats/models');
    const { body: all } = await member.ask('GET', '/stats/overview');
    expect(total.calls).toBe(0);
    expect(before.total).toEqual(all.data.total);
    expect(before.points).toEqual([before.total]);
    // No group of today is among the largest of tomorrow, so all are others.
    expect(groups.map(({ group, before: sum }: Row) => [group, sum])).toEqual([[null, before.total]]);
    const { body: here } = await member.ask('GET', '/stats/series?compare=before&granularity=week');
    expect(here.data.times).toHaveLength(4);
    expect(here.data.before.times).toHaveLength(4);
    expect(here.data.before.total.calls).toBe(0);
    const shown = here.data.groups.map(({ group, total: sum }: Row) => [group, sum]);
    expect(shown).toEqual(models.data.map(({ model_id: model, ...sum }: Row) => [model, sum]));
  });

  test('is exported by point and group', async () => {
    const { body } = await member.ask('GET', '/stats/series?by=key');
    const file = await member.ask('GET', '/stats/export?by=key');
    const [head, line, ...more] = String(file.body.data).split('\r\n');
    expect(head).toBe(
      'time,group,name,calls,failed,input_tokens,output_tokens,cache_read_tokens,cache_write_tokens,' +
        'reasoning_tokens,images,videos,amount,credits,ttft_ms',
    );
    const { times, groups } = body.data;
    const sums = Object.values(groups[0].total).map((each) => String(each ?? ''));
    expect(line).toBe([times.at(-1), key.id, '"the ""first"", key"', ...sums].join(','));
    expect(more).toEqual(['']);
  });

  test('is grouped by key with the key’s name, or none when it was deleted', async () => {
    const other = await members.member({ credits: 100n });
    const [kept, gone] = [await newKey(other, { name: 'kept' }), await newKey(other, { name: 'gone' })];
    for (const each of [kept, gone]) await members.call(each.api_key, 'gpt');
    await members.world.settled();
    await other.ask('DELETE', `/api-key?ids=${gone.id}`);
    const { body } = await other.ask('GET', '/stats/keys');
    const names = new Map(
      body.data.map((row: { key_id: number; key_name: unknown }) => [row.key_id, row.key_name]),
    );
    expect(names).toEqual(
      new Map([
        [kept.id, 'kept'],
        [gone.id, null],
      ]),
    );
  });

  test('contains nothing of another account', async () => {
    const { body } = await stranger.ask('GET', '/stats/overview');
    expect(body.data.total.calls).toBe(1);
    const { body: models } = await stranger.ask('GET', '/stats/models');
    expect(models.data.map(({ model_id }: { model_id: string }) => model_id)).toEqual(['claude']);
  });
});
