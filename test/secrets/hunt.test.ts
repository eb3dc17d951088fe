import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { OPERATIONS } from '../../src/operations/table.ts';
import { type Commands, commandsWith } from '../support/commands.ts';
import { formBody } from '../support/endpoints/body.ts';
import { tollgate } from '../support/processes.ts';
import { STANDARD_CATALOG, startWorld, type World } from '../support/world.ts';
import { ask } from '../tenants/ask.ts';
import { Hoard } from './hoard.ts';
import { dumpTables, readFiles } from './places.ts';

const hoard = new Hoard();
const ROOT = hoard.hide('root secret', 'HUNT-root-secret-of-at-least-32-bytes');
const PLATFORM = hoard.hide('platform secret', 'sk-sim-openai-HUNT-platform-0001');
const PASSWORD = hoard.hide('password', 'HUNT password of the user 0002');
const OPENAI = '{ vendor: openai, credential: openai-main, forward_model_id:';
/** Models of the protocols that are only passed through. */
const PASSED_ONLY = Object.entries({
  guard: 'omni-moderation-latest',
  ranker: 'jina-reranker-v3',
  instruct: 'gpt-3.5-turbo-instruct',
  voice: 'tts-1',
  film: 'sora-2',
}).map(
  ([name, forward]) =>
    `  - { model_id: ${name}, prices: { input: "10" }, max_output_tokens: 1000, routes: [${OPENAI} ${forward} }] }\n`,
);
const CATALOG = STANDARD_CATALOG.replace('sk-sim-openai', PLATFORM)
  .replaceAll('a test password', PASSWORD)
  .replace('images, embeddings]', 'images, embeddings, moderations, rerank, completions, speech, videos]')
  .replace('models:\n', `models:\n${PASSED_ONLY.join('')}`);
const PROMPT = hoard.hide('prompt', 'HUNT-prompt-that-nobody-keeps-0003');

let world: World;
let commands: Commands;
let folder: string;
const log: string[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tollgate-hunt-'));
  world = await startWorld({
    catalog: CATALOG,
    environment: {
      TOLLGATE_SECRET: ROOT,
      TOLLGATE_LOG_LEVEL: 'debug',
      TOLLGATE_FIRST_BYTE_TIMEOUT_MS: '6000',
    },
    log: pino({ level: 'trace' }, { write: (line) => void log.push(line) }),
  });
  commands = await commandsWith(commandEnvironment(), folder);
});
afterAll(async () => {
  await world.close();
  await rm(folder, { recursive: true, force: true });
});

function commandEnvironment(): Record<string, string> {
  const { databaseUrl, dataDirectory } = world.config;
  if (databaseUrl === undefined) throw new Error('the world has a database of its own');
  return { DATABASE_URL: databaseUrl, TOLLGATE_DATA: dataDirectory, TOLLGATE_SECRET: ROOT };
}

interface Sent {
  readonly token?: string;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
  /** What this answer is there to tell. */
  readonly tells?: readonly string[];
}

/** Any request to any path; what comes back is searched, head and body. */
async function send(method: string, path: string, sent: Sent = {}): Promise<unknown> {
  const { token, body, headers, tells } = sent;
  const response = await fetch(world.url + path, {
    method,
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text().catch(() => '');
  hoard.search(
    `${method} ${path.slice(0, 60)} ${response.status}`,
    [...response.headers].join('\n') + text,
    tells,
  );
  return text.startsWith('{') ? JSON.parse(text) : text;
}

interface Answered {
  readonly code: number;
  readonly data: Record<string, string>;
}

const AUTH = '/api/v1/user/auth';
const USER = '/api/v1/user/user';
const ADMIN = '/api/v1/admin';

async function enter(email: string, label: string): Promise<string> {
  const path = `${AUTH}/login`;
  const answer = (await send('POST', path, {
    body: { email, password: PASSWORD },
    tells: [`${label} access token`, `${label} refresh token`],
  })) as Answered;
  expect(answer.code, label).toBe(0);
  hoard.hide(`${label} refresh token`, answer.data.refresh_token ?? '');
  return hoard.hide(`${label} access token`, answer.data.access_token ?? '');
}

test('logins succeed and fail', async () => {
  const fresh = hoard.hide('registered password', 'HUNT password of somebody new 0004');
  const wrong = hoard.hide('wrong password', 'HUNT password that is wrong 0005');
  const next = hoard.hide('next password', 'HUNT password of tomorrow 0006');
  const email = 'hunted@example.com';
  const made = (await send('POST', `${AUTH}/register`, { body: { email, password: fresh } })) as Answered;
  expect(made.code).toBe(0);
  const access = hoard.hide('first access token', made.data.access_token ?? '');
  const refresh = hoard.hide('first refresh token', made.data.refresh_token ?? '');
  await send('POST', `${AUTH}/login`, { body: { email, password: wrong } });
  await send('POST', `${AUTH}/login`, { body: { email: fresh, password: email } });
  await send('POST', `${AUTH}/login`, { body: `{"email":"${email}","password":"${fresh}"` });
  await send('POST', `${AUTH}/login`, { body: { email, password: [fresh] } });
  await send('POST', `${AUTH}/login?password=${encodeURIComponent(fresh)}`, { body: { email } });
  await send('POST', `${AUTH}/register`, { body: { email, password: fresh } });
  await send('POST', `${AUTH}/password`, { token: access, body: { password: wrong, new_password: next } });
  await send('POST', `${AUTH}/password`, { token: access, body: { password: fresh, new_password: next } });
  const again = (await send('POST', `${AUTH}/refresh`, { body: { refresh_token: refresh } })) as Answered;
  expect(again.code).toBe(0);
  hoard.hide('second access token', again.data.access_token ?? '');
  hoard.hide('second refresh token', again.data.refresh_token ?? '');
  await send('POST', `${AUTH}/refresh`, { body: { refresh_token: refresh } });
  await send('POST', `${AUTH}/refresh`, { body: { refresh_token: `${refresh}x` } });
  await send('GET', `${USER}/profile?access_token=${access}`);
  await send('GET', `${USER}/${access}/${refresh}`);
  await send('GET', `${USER}/profile`, {
    headers: { cookie: `tollgate_session=${refresh}; other=${access}` },
  });
  await send('POST', `${AUTH}/setup`, { body: { token: refresh, email, password: fresh } });
});

test('keys, BYOK secrets and prompts are served and fail', async () => {
  const token = await enter('user@example.com', 'user');
  const made = (await send('POST', `${USER}/api-key`, { token, body: { name: 'hunted' } })) as Answered;
  const key = hoard.hide('api key', made.data.api_key ?? '');
  await callAll(key);
  const secret = hoard.hide('byok secret', 'sk-sim-openai-HUNT-byok-0007');
  const other = hoard.hide('refused byok secret', 'sk-HUNT-the-vendor-refuses-0008');
  const byok = { vendor_code: 'openai', name: 'mine' };
  for (const one of [secret, other]) {
    await send('POST', `${USER}/credential/test`, { token, body: { ...byok, secret: one } });
  }
  const added = (await send('POST', `${USER}/credential`, {
    token,
    body: { ...byok, secret },
  })) as Answered;
  expect(added.code).toBe(0);
  await callAll(key);
  const { id } = added.data;
  await send('PUT', `${USER}/credential`, { token, body: { id, secret: other } });
  await send('POST', `${USER}/credential/test`, { token, body: { id } });
  await callAll(key);
  await send('POST', `${USER}/credential`, { token, body: { ...byok, secret: `${secret}\n` } });
  await send('POST', `${USER}/credential`, { token, body: { ...byok, vendor_code: secret, secret: 5 } });
  await send('GET', `${USER}/call-log/page?model=${key}`, { token });
  await send('POST', `${USER}/feedback`, { body: { content: 'nothing secret' } });
});

test('documents of people are sealed, and whole only for the decision on one account', async () => {
  const number = hoard.hide('document number', 'HUNT-DOCUMENT-0012-9876543210');
  const token = await enter('user@example.com', 'submitting user');
  const person = { kind: 'enterprise', name: 'Ada', document_number: number };
  const submitted = (await send('POST', `${USER}/verification`, { token, body: person })) as Answered;
  expect(submitted.data.document_number).toBe('…3210');
  await send('POST', `${USER}/verification`, { token, body: person });
  await send('POST', `${USER}/verification`, { token, body: { ...person, kind: number } });
  await send('GET', `${USER}/verification`, { token });
  const operator = await enter('operator@example.com', 'judging operator');
  await send('GET', `${ADMIN}/verifications?status=pending`, { token: operator });
  const { id, account_id: accountId } = await pendingOf(operator);
  const whole = (await send('GET', `${ADMIN}/accounts/${accountId}`, {
    token: operator,
    tells: ['document number'],
  })) as { data: { verification: object } };
  expect(whole.data.verification).toMatchObject({ document_number: number });
  const refusal = { decision: 'refuse', reason: 'not readable' };
  for (const turn of [1, 2]) {
    await send('POST', `${ADMIN}/verifications/${id}/decision`, { token: operator, body: refusal });
    const { stdout, stderr } = await commands.run('verification', 'list');
    hoard.search(`verification list ${turn}`, stdout + stderr);
  }
});

async function pendingOf(token: string): Promise<{ readonly id: number; readonly account_id: number }> {
  const listed = await send('GET', `${ADMIN}/verifications?status=pending`, { token });
  const [first] = (listed as { data: { id: number; account_id: number }[] }).data;
  if (first === undefined) throw new Error('one was submitted');
  return first;
}

const FAULTS = [
  'status@500',
  'status@401',
  'status@400',
  'reset-early',
  'html',
  'error-200',
  'bad-json@1',
].concat(['error-event@1', 'reset@2', 'bad-length', 'empty-200']);

/** A vendor may repeat the prompt to its author; nobody's key is in any answer. */
async function callAll(key: string): Promise<void> {
  const tells = ['prompt'];
  const chat = '/v1/chat/completions';
  const content = (words: string) => `${PROMPT} [[sim ${words}]]`;
  const messages = (words = 'tokens=4') => [{ role: 'user', content: content(words) }];
  const claude = { model: 'claude-sonnet-5', max_tokens: 9 };
  const calls: readonly (readonly [string, object])[] = [
    [chat, { model: 'gpt-5', messages: messages() }],
    [chat, { model: 'gpt-5', messages: messages(), stream: true }],
    [chat, { model: 'claude-sonnet-5', messages: messages() }],
    ['/v1/messages', { model: 'gpt-5', max_tokens: 9, messages: messages() }],
    ['/v1/responses', { model: 'gpt-5', input: content('tokens=4'), store: true }],
    ['/v1/responses', { model: 'claude-sonnet-5', input: content('tokens=4'), store: true }],
    [
      '/v1beta/models/gemini-3-pro:generateContent',
      { contents: [{ role: 'user', parts: [{ text: PROMPT }] }] },
    ],
    ['/v1/images/generations', { model: 'gpt-image-1', prompt: PROMPT }],
    ['/v1/embeddings', { model: 'text-embedding-3-small', input: PROMPT }],
    ['/v1/moderations', { model: 'guard', input: content('tokens=4') }],
    ['/v1/rerank', { model: 'ranker', query: PROMPT, documents: [content('tokens=4')] }],
    ['/v1/completions', { model: 'instruct', prompt: content('tokens=4') }],
    ['/v1/completions', { model: 'instruct', prompt: content('tokens=4'), stream: true }],
    ['/v1/audio/speech', { model: 'voice', voice: 'alloy', input: content('tokens=4') }],
    ['/v1/videos', { model: 'film', prompt: content('tokens=4') }],
    ['/v1/messages/batches', { requests: [{ custom_id: 'a', params: { ...claude, messages: messages() } }] }],
    ['/v1/batches', { input_file_id: PROMPT, endpoint: chat, completion_window: '24h' }],
    [chat, { model: PROMPT.slice(0, 5), messages: messages() }],
    ...FAULTS.flatMap((fault) => [
      [chat, { model: 'gpt-5', messages: messages(`fault=${fault}`), stream: true }] as const,
      ['/v1/messages', { model: 'gpt-5', max_tokens: 9, messages: messages(`fault=${fault}`) }] as const,
    ]),
  ];
  for (const [path, body] of calls) await send('POST', path, { token: key, body, tells });
  for (const path of ['/v1/videos', '/v1/files', '/v1/batches', '/v1/messages/batches']) {
    await send('GET', path, { token: key, tells });
  }
  const line = { custom_id: 'a', method: 'POST', url: chat, body: { model: 'gpt-5', messages: messages() } };
  for (const text of [JSON.stringify(line), PROMPT]) {
    const file = { name: 'a.jsonl', type: 'application/jsonl', data: Buffer.from(text) };
    const { headers, body } = formBody({ purpose: 'batch', file });
    await send('POST', '/v1/files', { token: key, headers, body: body.toString(), tells });
  }
  await send('POST', chat, { token: key, body: `{"model":"gpt-5","messages":"${PROMPT}`, tells });
  await send('POST', chat, { headers: { 'x-api-key': key }, body: { model: 'gpt-5' } });
  await send('POST', chat, { token: `${key.slice(0, -1)}0`, body: { model: 'gpt-5' } });
  await send('POST', `${chat}?key=${key}`, { body: { model: 'gpt-5', messages: messages() } });
  // Whoever asks for a thing by a name is told the name again.
  await send('GET', `/v1/models/${key}`, { token: key, tells: ['api key'] });
  for (const [path, text] of await readFiles(world.config.dataDirectory)) hoard.search(`file ${path}`, text);
}

test('channels of alerts are signed with what is shown once', async () => {
  const channel = { kind: 'webhook', name: 'hunted', address: 'https://hunted.invalid/hook' };
  for (const [email, base, alerts] of [
    ['user@example.com', `${USER}/alert/channels`, ['credits-low']],
    ['operator@example.com', `${ADMIN}/alerts/channels`, ['route-down']],
  ] as const) {
    const token = await enter(email, `alerted ${email}`);
    const made = (await send('POST', base, { token, body: { ...channel, alerts } })) as Answered;
    hoard.hide(`webhook secret of ${email}`, made.data.secret ?? '');
    await send('POST', `${base}/${made.data.id}/test`, { token });
    await send('POST', base, { token, body: { ...channel, alerts: [made.data.secret] } });
    await send('GET', base, { token });
  }
});

test('operators and commands succeed and are refused', async () => {
  const token = await enter('operator@example.com', 'operator');
  const secret = hoard.hide('new platform secret', 'sk-HUNT-made-by-an-operator-0009');
  const password = hoard.hide('given password', 'HUNT password from an operator 0010');
  const credential = { name: 'made', vendor: 'openai', secret };
  await send('POST', `${ADMIN}/credentials`, { token, body: credential });
  await send('POST', `${ADMIN}/credentials`, { token, body: credential });
  await send('POST', `${ADMIN}/credentials`, {
    token,
    body: { ...credential, name: secret, vendor: 'none' },
    tells: [],
  });
  await send('POST', `${ADMIN}/accounts`, { token, body: { email: 'made@example.com', password } });
  await send('POST', `${ADMIN}/accounts`, { token, body: { email: 'made@example.com', password } });
  await send('POST', `${ADMIN}/accounts`, {
    token,
    body: { email: 'other@example.com', [password]: 1, password },
  });
  const shown = async (...args: readonly string[]) => {
    const { stdout, stderr } = await commands.run(...args);
    // Whoever decides at the terminal reads the number there.
    const tells = args[1] === 'show' ? ['document number'] : [];
    hoard.search(args.join(' '), stdout + stderr, tells);
  };
  await shown('account', 'list');
  await shown('account', 'show', '--account', 'user@example.com');
  await shown('key', 'list', '--account', 'user@example.com');
  await shown('credential', 'list', '--account', 'user@example.com');
  await shown('credential', 'set', '--account', 'user@example.com', '--id', '1', '--name', 'renamed');
  await shown('doctor');
  const typed = hoard.hide('typed secret', 'sk-HUNT-typed-at-a-terminal-0011');
  const options = [
    'credential',
    'add',
    '--account',
    'user@example.com',
    '--vendor',
    'openai',
    '--name',
    'typed',
  ];
  for (const input of [`${typed}\n`, `${typed}\n${typed}\n`]) {
    const { stdout, stderr } = await tollgate(options, commandEnvironment(), input);
    hoard.search('credential add', stdout + stderr);
  }
});

test('no secret of these is in any answer, the log, the metrics, the files or the database', async () => {
  await world.settled();
  const [seen] = await world.database.query<Record<'payers' | 'kept' | 'failed', unknown>>(
    `select (select array_agg(distinct payer order by payer) from calls) as payers,
       (select count(*)::int from conversations) as kept,
       (select count(*)::int from calls where verdict <> 'complete') as failed`,
  );
  expect(seen).toMatchObject({ payers: expect.arrayContaining(['byok', 'credits']) });
  expect([Number(seen?.kept) > 3, Number(seen?.failed) > 20]).toEqual([true, true]);
  const people = ['poor@example.com', 'operator@example.com', 'user@example.com'];
  const tokens = await Promise.all(people.map((email) => enter(email, `${email} again`)));
  const reads = OPERATIONS.filter(({ method }) => method === 'GET');
  for (const row of reads) {
    const tells = row.name === 'accounts.get' ? ['document number'] : [];
    for (const token of tokens) hoard.search(row.name, (await ask(world.url, { row, token })).text, tells);
  }
  hoard.search('/metrics', await world.figures());
  for (const path of ['/openapi.json', '/docs', '/healthz', '/readyz']) await send('GET', path);
  for (const [table, text] of await dumpTables(world.database)) hoard.search(`table ${table}`, text);
  for (const [path, text] of await readFiles(world.config.dataDirectory)) hoard.search(`file ${path}`, text);
  hoard.search('log', log.join(''));
  expect(hoard.sightings).toEqual([]);
  // And there was something to look at: a line for every call, rows in the tables, secrets to be found.
  expect(log.length).toBeGreaterThan(100);
  expect(hoard.labels.length).toBeGreaterThan(19);
  expect(hoard.searched).toBeGreaterThan(200_000);
});
