/** Every question that the pages of the console ask of the logs and the statistics, by its path and query. */

/** What the questions name: the account with a tenth of all rows, and the times that a browser would send. */
export interface Known {
  /** The newest call, and the log's last moment. */
  readonly nowMs: number;
  readonly accountId: number;
  readonly keyId: number;
  /** A call in the middle of the log. */
  readonly requestId: string;
  readonly requestAtMs: number;
}

export interface Question {
  readonly as: 'user' | 'operator';
  readonly page: string;
  readonly name: string;
  readonly path: string;
  /** A file or a stream is read up to its first rows. */
  readonly reads?: 'whole' | 'beginning';
}

type Query = Readonly<Record<string, string | number>>;

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const USER = '/api/v1/user/user';
const OPERATOR = '/api/v1/admin';
const PERIODS = { '1 h': 1, '24 h': 24, '7 days': 168, '30 days': 720, '90 days': 2_160, '365 days': 8_760 };

/** As the server writes times. It runs in UTC here. */
function written(timeMs: number): string {
  return new Date(timeMs).toISOString().slice(0, 19).replace('T', ' ');
}

function addressOf(path: string, query: Query): string {
  const text = new URLSearchParams(
    Object.entries(query).map(([name, value]) => [name, String(value)] as [string, string]),
  );
  return `${path}?${text}`;
}

/** The filters of the list of calls, each value of a kind: frequent, rare, and one that no call has. */
function filtersOf({ keyId }: Known): Readonly<Record<string, Query>> {
  return {
    'a model': { model: 'model-1' },
    'three models': { model: 'model-1,model-5,model-11' },
    'a model that nobody called': { model: 'model-none' },
    'a key': { key_id: keyId },
    ...Object.fromEntries(
      ['ok', 'failed', 200, 429, 504, 403].map((each) => [`status ${each}`, { status: each }]),
    ),
    ...Object.fromEntries(
      ['complete', 'cut-by-client', 'cut-by-upstream', 'cut-by-gateway', 'refused', 'failed'].map((each) => [
        `verdict ${each}`,
        { verdict: each },
      ]),
    ),
    ...Object.fromEntries([42901, 50201, 50401, 40401].map((each) => [`code ${each}`, { error_code: each }])),
    'protocol chat': { protocol: 'chat' },
    'protocol images': { protocol: 'images' },
    'payer byok': { payer: 'byok' },
    'payer none': { payer: 'none' },
    'a model, a key, failed': { model: 'model-1', key_id: keyId, status: 'failed' },
    'a model, refused': { model: 'model-4', verdict: 'refused' },
    'status 502, code 50201, chat': { status: 502, error_code: 50201, protocol: 'chat' },
  };
}

interface Lists {
  readonly as: Question['as'];
  readonly page: string;
  /** The list and its bars; narrowed to an account by their path or query. */
  readonly list: string;
  readonly bars: string;
  readonly narrowed: Query;
}

const LIST_SIZE = 50;

/** The list of calls: periods, filters, own ranges, further pages, and the neighbours of a call. */
function listQuestions({ as, page, list, narrowed }: Lists, known: Known): readonly Question[] {
  const ask = (name: string, query: Query): Question => ({
    ...{ as, page, name },
    path: addressOf(list, { size: LIST_SIZE, ...narrowed, ...query }),
  });
  const since = (hours: number): Query => ({ from: written(known.nowMs - hours * HOUR_MS) });
  const { requestAtMs: atMs, nowMs } = known;
  const windows = { '1 minute': MINUTE_MS, '4 hours': 4 * HOUR_MS, '30 days': 30 * DAY_MS };
  return [
    ...Object.entries(PERIODS).map(([name, hours]) => ask(`list, ${name}`, since(hours))),
    ...Object.entries(filtersOf(known)).flatMap(([name, query]) => [
      ask(`list, 24 h, ${name}`, { ...since(24), ...query }),
      ask(`list, 30 days, ${name}`, { ...since(720), ...query }),
    ]),
    ask('list, range that cuts hours', { from: written(atMs - 7 * HOUR_MS), to: written(atMs + 1_234_000) }),
    ask('list, before a moment', { to: written(atMs) }),
    ask('list, 30 days, next page', { ...since(720), cursor: `${nowMs - 10 * MINUTE_MS}-0` }),
    ask('list, 30 days, deep page', { ...since(720), cursor: `${nowMs - 29 * DAY_MS}-0` }),
    ask('list, 30 days, deep page of failed', {
      ...{ ...since(720), cursor: `${nowMs - 29 * DAY_MS}-0`, status: 'failed' },
    }),
    ask('k, the older neighbour', { ...since(720), cursor: `${atMs + 1_000}-0` }),
    ...Object.entries(windows).map(([name, lengthMs]) =>
      ask(`j, the newer neighbour within ${name}`, { from: written(atMs), to: written(atMs + lengthMs) }),
    ),
  ];
}

/** The bars above the list, with as many points as the console asks for. */
function barQuestions(
  { as, page, bars }: Lists,
  known: Known,
  filters: readonly Query[],
): readonly Question[] {
  const steps = { '1 h': 'minute', '24 h': 'hour', '7 days': 'hour' } as const;
  const isOfAll = bars === `${OPERATOR}/overview/series`;
  return Object.entries(PERIODS).flatMap(([name, hours]) => {
    const step = steps[name as keyof typeof steps] ?? 'day';
    const granularity = isOfAll && step === 'minute' ? 'hour' : step;
    const query = { from: written(known.nowMs - hours * HOUR_MS), granularity };
    return [{}, ...filters].map((filter) => ({
      ...{ as, page, name: `bars, ${name}${textOf(filter)}` },
      path: addressOf(bars, { ...query, ...filter }),
    }));
  });
}

function textOf(query: Query): string {
  return Object.entries(query)
    .map(([name, value]) => `, ${name} ${value}`)
    .join('');
}

const GROUPINGS = ['model', 'key', 'protocol', 'payer'];
const SPANS = [
  { name: '24 h', days: 1, steps: ['hour'] },
  { name: '7 days', days: 7, steps: ['day', 'hour'] },
  { name: '30 days', days: 30, steps: ['day', 'week'] },
  { name: 'a year', days: 364, steps: ['week', 'day'] },
];

function dayAgo(nowMs: number, days: number): string {
  return `${written(nowMs - days * DAY_MS).slice(0, 10)} 00:00:00`;
}

function usageQuestions(known: Known): readonly Question[] {
  const ask = (page: string, name: string, path: string, query: Query): Question => ({
    ...{ as: 'user', page, name, path: addressOf(`${USER}${path}`, query) },
  });
  const from = (days: number): string =>
    days === 1
      ? written(Math.floor(known.nowMs / HOUR_MS) * HOUR_MS - 23 * HOUR_MS)
      : dayAgo(known.nowMs, days - 1);
  const narrowed: readonly Query[] = [
    { model: 'model-1' },
    { key_id: known.keyId },
    { protocol: 'chat' },
    { payer: 'byok' },
  ];
  return [
    ...SPANS.flatMap(({ name, days, steps }) =>
      GROUPINGS.flatMap((by) =>
        steps.map((granularity) =>
          ask('usage', `${name} by ${by} and ${granularity}`, '/stats/series', {
            ...{ from: from(days), granularity, by, compare: 'before' },
          }),
        ),
      ),
    ),
    ...narrowed.map((filter) =>
      ask('usage', `30 days by model${textOf(filter)}`, '/stats/series', {
        ...{ from: from(30), granularity: 'day', by: 'model', compare: 'before', ...filter },
      }),
    ),
    ask('usage', 'own range by model', '/stats/series', {
      ...{ from: dayAgo(known.nowMs, 20), to: dayAgo(known.nowMs, 3) },
      ...{ granularity: 'day', by: 'model', compare: 'before' },
    }),
    ask('usage', '30 days, who paid', '/stats/payers', { from: from(30) }),
    ask('usage', 'a year, who paid', '/stats/payers', { from: from(364) }),
    ...['overview', 'models', 'keys', 'protocols'].map((name) => ask('usage', name, `/stats/${name}`, {})),
    {
      ...ask('usage', 'CSV of a year', '/stats/export', { from: from(364), granularity: 'day', by: 'model' }),
    },
    ask('overview', 'latest calls', '/call-log/search', { size: 8 }),
    ask('overview', 'pace of the week', '/stats/trend', { granularity: 'day' }),
    ask('keys', 'calls of a new key', '/call-log/page', { size: 1, key_id: 999_999_999 }),
    ask('keys', 'list', '/api-key/page', { size: 100 }),
    ask('wallet', 'ledger', '/balance-log/page', { size: 50 }),
    ask('wallet', 'ledger, far page', '/balance-log/page', { size: 50, page: 10_000 }),
    ask('wallet', 'ledger, balance', '/balance-log/page', { size: 50, pool: 'balance' }),
    ask('own vendor keys', 'use', '/credential/stats', {}),
    ask('own vendor keys', 'list', '/credential/page', { size: 100 }),
    ask('overview', 'limits', '/limits', {}),
  ];
}

function operatorQuestions(known: Known): readonly Question[] {
  const ask = (page: string, name: string, path: string, query: Query = {}): Question => ({
    ...{ as: 'operator', page, name, path: addressOf(`${OPERATOR}${path}`, query) },
  });
  const spans = [
    { name: '24 h', granularity: 'hour', from: (turn: number) => written(known.nowMs - turn * DAY_MS) },
    ...[7, 30].map((days) => ({
      ...{ name: `${days} days`, granularity: 'day' },
      from: (turn: number) => dayAgo(known.nowMs, days * turn - 1),
    })),
  ];
  const account = `/accounts/${known.accountId}`;
  return [
    ...spans.flatMap(({ name, granularity, from }) => {
      const [now, before] = [{ from: from(1) }, { from: from(2), to: from(1) }];
      return [
        ask('overview', name, '/overview', now),
        ask('overview', `${name} before`, '/overview', before),
        ask('overview', `${name} over time`, '/overview/series', { ...now, granularity }),
        ask('overview', `${name} before, over time`, '/overview/series', { ...before, granularity }),
        ask('overview', `${name} by account`, '/overview/accounts', now),
        ask('overview', `${name} by credential`, '/overview/credentials', now),
      ];
    }),
    ask('overview', 'nodes', '/overview/nodes'),
    ask('health', 'routes', '/overview/routes'),
    ask('accounts', 'list', '/accounts', { page: 1, size: 50 }),
    ask('accounts', 'found by address', '/accounts', { size: 20, email: 'bench-77' }),
    ask('account', 'latest calls', `${account}/call-log/search`, { size: 20 }),
    ask('account', 'sums', `${account}/stats/overview`),
    ask('account', 'over time', `${account}/stats/trend`, {
      granularity: 'day',
      from: dayAgo(known.nowMs, 29),
    }),
    ask('account', 'models', `${account}/stats/models`, { from: dayAgo(known.nowMs, 29) }),
    ask('account', 'keys', `${account}/stats/keys`),
    ask('account', 'ledger', `${account}/balance-log/page`, { page: 1, size: 50 }),
    ask('account', 'own vendor keys', `${account}/credential/stats`),
  ];
}

function callQuestions(known: Known): readonly Question[] {
  const { requestId, nowMs, accountId } = known;
  const files = {
    'CSV, 24 h': { from: written(nowMs - DAY_MS) },
    'CSV, 30 days, failed': { from: written(nowMs - 30 * DAY_MS), status: 'failed' },
    'CSV, a year': { from: written(nowMs - 365 * DAY_MS) },
  };
  const unknown = `${requestId.slice(0, 20)}0000000000`;
  const own = { as: 'user', page: 'calls' } as const;
  const all = { as: 'operator', page: 'all calls' } as const;
  return [
    { ...own, name: 'req_… opened', path: `${USER}/call-log/request/${requestId}` },
    { ...own, name: 'req_… that is unknown', path: `${USER}/call-log/request/${unknown}` },
    { ...own, name: 'live, until it begins', path: `${USER}/live`, reads: 'beginning' },
    { ...all, name: 'req_… opened', path: `${OPERATOR}/calls/${requestId}` },
    { ...all, name: 'live, until it begins', path: `${OPERATOR}/live`, reads: 'beginning' },
    ...Object.entries(files).flatMap(([name, query]): readonly Question[] => [
      { ...own, name, path: addressOf(`${USER}/call-log/export`, query), reads: 'beginning' },
      {
        ...{ ...all, name: `${name}, of an account`, reads: 'beginning' },
        path: addressOf(`${OPERATOR}/accounts/${accountId}/call-log/export`, query),
      },
    ]),
  ];
}

export function questionsOf(known: Known): readonly Question[] {
  const { accountId, keyId } = known;
  const all = { as: 'operator', list: `${OPERATOR}/calls` } as const;
  const bars = `${OPERATOR}/accounts/${accountId}/stats/trend`;
  const ofAll: Lists = { ...all, page: 'all calls', bars: `${OPERATOR}/overview/series`, narrowed: {} };
  const ofOne: Lists = { ...all, page: 'calls of an account', bars, narrowed: { account_id: accountId } };
  const own: Lists = {
    ...{
      as: 'user',
      page: 'calls',
      list: `${USER}/call-log/search`,
      bars: `${USER}/stats/trend`,
      narrowed: {},
    },
  };
  const filters: readonly Query[] = [
    { model: 'model-1' },
    { key_id: keyId },
    { status: 429 },
    { protocol: 'chat' },
    { payer: 'none' },
  ];
  return [
    ...[own, ofAll, ofOne].flatMap((lists) => listQuestions(lists, known)),
    ...[
      ...barQuestions(own, known, filters),
      ...barQuestions(ofAll, known, []),
      ...barQuestions(ofOne, known, []),
    ],
    ...callQuestions(known),
    ...usageQuestions(known),
    ...operatorQuestions(known),
  ];
}
