import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { COMMANDS } from '../../src/cli/commands.ts';
import { submitVerification } from '../../src/store/accounts/verifications.ts';
import { CATALOG_TEXT } from '../support/catalog.ts';
import { openTerminal, type Terminal } from '../support/commands.ts';

const USER = ['--account', 'user@example.com'] as const;
const SECRET = 'sk-TERMINAL-CANARY-0123456789';
let terminal: Terminal;

beforeAll(async () => {
  terminal = await openTerminal(CATALOG_TEXT);
});
afterAll(() => terminal?.close());

/** What stands behind the name of a command, and what is typed; a function lays the ground for it first. */
interface Words {
  readonly words: readonly string[];
  readonly typed?: string;
}
type Scene = readonly string[] | (() => Promise<Words>);

const lastId = async (...list: readonly string[]): Promise<string> => {
  const listed = await terminal.json<{ id: number }[] | { items: { id: number }[] }>(...list);
  const items = 'items' in listed ? listed.items : listed;
  return String(items[0]?.id);
};

const submit = async (): Promise<void> => {
  const { id } = await terminal.json<{ id: number }>('account', 'show', '--account', 'operator@example.com');
  const fields = { name: 'Ada', documentNumber: 'X1234567', contact: undefined };
  const { fresh, sealer } = terminal;
  await submitVerification(fresh.database, { accountId: id, kind: 'personal' }, fields, sealer);
};

/** In this order, each on what those before have left. */
const SCENES: Readonly<Record<string, Scene>> = {
  apply: async () => ({ words: ['-f', await terminal.fileOf('again.yaml', 'system_rate: 91\n')] }),
  migrate: [],
  doctor: [],
  nodes: [],
  overview: [],
  'catalog list': ['vendors'],
  'catalog show': ['vendors', 'openai'],
  'catalog export': [],
  'what-if': async () => ({ words: ['-f', await terminal.fileOf('dear.yaml', 'system_rate: 200\n')] }),
  reprice: ['--model', 'gpt-5', '--from', '2026-11-01 00:00:00', '--reason', 'wrong price'],
  'catalog delete': ['announcements', '1'],
  'account create': ['--email', 'new@example.com', '--balance', '5', '--credits', '7'],
  'account list': [],
  'account show': USER,
  'account set': [...USER, '--rate', '77'],
  'account top-up': [...USER, '--balance', '5', '--reason', 'order 1'],
  'account adjust': [...USER, '--credits=-1', '--reason', 'charged twice'],
  'account exchange': [...USER, '--amount', '2'],
  'account verify': async () => {
    await submit();
    return { words: ['--account', 'operator@example.com', '--approve'] };
  },
  'account logout': USER,
  'account sessions': USER,
  'account note': [...USER, '--add', 'a good customer'],
  'account reset-password': USER,
  'account usage': USER,
  'account ledger': USER,
  'account export': [...USER, '--log', 'balance'],
  'verification list': [],
  'key create': [...USER, '--name', 'audited', '--policy', '1'],
  'key list': USER,
  'key set': async () => ({
    words: [
      ...USER,
      '--id',
      await lastId('key', 'list', ...USER),
      '--policy',
      'none',
      '--status',
      'disabled',
    ],
  }),
  'key revoke': async () => ({ words: [...USER, '--id', await lastId('key', 'list', ...USER)] }),
  'subscription grant': [...USER, '--plan', 'PRO', '--after-current'],
  'subscription list': USER,
  'subscription cancel': async () => ({
    words: [...USER, '--id', await lastId('subscription', 'list', ...USER)],
  }),
  'credential add': async () => ({ words: [...USER, '--vendor', 'openai', '--name', 'own'], typed: SECRET }),
  'credential list': USER,
  'credential set': async () => ({
    words: [...USER, '--id', await lastId('credential', 'list', ...USER), '--secret-stdin'],
    typed: `${SECRET}-newer`,
  }),
  'credential remove': async () => ({
    words: [...USER, '--id', await lastId('credential', 'list', ...USER)],
  }),
  'call list': USER,
  'call search': ['--model', 'gpt-5'],
  'call show': ['req_00000000000000000000000000'],
  'feedback list': [],
  'feedback done': async () => {
    await terminal.fresh.database.query(`insert into feedback (content) values ('well done')`);
    return { words: ['--id', '1'] };
  },
  'audit list': [],
  registration: ['closed'],
  'alerts channels': [],
  'alerts add': [
    ...['--kind', 'webhook', '--name', 'hook', '--address', 'https://example.com/hook'],
    ...['--alerts', 'route-down,doctor-finding'],
  ],
  'alerts set': async () => ({
    words: ['--id', await lastId('alerts', 'channels'), '--alerts', 'route-down'],
  }),
  'alerts test': async () => ({ words: ['--id', await lastId('alerts', 'channels')] }),
  'alerts states': [],
  'alerts deliveries': [],
  'alerts resend': async () => {
    const dead = "update alert_outbox set status = 'dead', ended_at = now()";
    await terminal.fresh.database.query(dead);
    return { words: ['--id', await lastId('alerts', 'deliveries')] };
  },
  'alerts remove': async () => ({ words: ['--id', await lastId('alerts', 'channels')] }),
  'vendor list': [],
  // No vendor answers here, so the key is not taken.
  'vendor add': async () => ({
    words: ['deepseek', '--base-url', 'http://127.0.0.1:9', '--models', 'deepseek-chat', '--rate', '7'],
    typed: SECRET,
  }),
  'prices import': async () => {
    const text = 'currency: CNY\nmodels: [{ model_id: gpt, input: "7", output: "9" }]\n';
    return { words: [await terminal.fileOf('prices.yaml', text), '--yes'] };
  },
  'clickhouse table': [],
  'clickhouse status': [],
  'clickhouse forget': [],
  backup: async () => {
    const file = await terminal.fileOf('backup.tar.gz', '');
    await rm(file);
    return { words: ['--to', file] };
  },
  restore: async () => {
    const file = await terminal.fileOf('checked.tar.gz', '');
    await rm(file);
    await terminal.json('backup', '--to', file);
    return { words: ['--from', file, '--check'] };
  },
  // The last one: from here on the secret is another.
  'secret rotate': [],
};

/** They run until they are stopped; what operators write meanwhile is the API's, which records it. */
const SERVERS: ReadonlySet<string> = new Set(['serve', 'demo']);
/** There is no call to show, and no vendor. The try of its key is in the audit log all the same. */
const FAILS: ReadonlySet<string> = new Set(['call show', 'vendor add']);

/** The rows of every table but the audit log, in one text: whoever writes changes it. */
async function everything(): Promise<string> {
  const { database } = terminal.fresh;
  const tables = await database.query<{ name: string }>(
    `select quote_ident(relname) as name from pg_class join pg_namespace on pg_namespace.oid = relnamespace
     where nspname = 'public' and relkind = 'r' and relname <> 'audit_log' order by 1`,
  );
  const texts: string[] = [];
  for (const { name } of tables) {
    const rows = await database.query<{ row: string }>(`select ${name}::text as row from ${name}`);
    texts.push(
      `${name}: ${rows
        .map(({ row }) => row)
        .sort()
        .join('\n')}`,
    );
  }
  return texts.join('\n\n');
}

interface Recorded {
  readonly actor: string | null;
  readonly address: string;
  readonly action: string;
  readonly before: object | null;
  readonly after: object | null;
  readonly all: string;
}

const records = (): Promise<Recorded[]> =>
  terminal.fresh.database.query<Recorded>(
    `select actor_account_id::text as actor, address, action, before, after, audit_log::text as all
     from audit_log order by id`,
  );

const writers: string[] = [];

describe('every command that writes leaves one line in the audit log', () => {
  test('there is a case for each command, and none without a command', () => {
    const commands = COMMANDS.map(({ name }) => name).filter((name) => !SERVERS.has(name));
    expect(Object.keys(SCENES).sort()).toEqual(commands.sort());
  });

  test.each(Object.entries(SCENES))('%s', async (name, scene) => {
    const { words, typed } = typeof scene === 'function' ? await scene() : { words: scene };
    const [rows, lines] = [await everything(), await records()];
    const args = [...name.split(' '), ...words];
    const done = await (typed === undefined ? terminal.run(...args) : terminal.typed(typed, ...args));
    expect(done).toMatchObject({ code: FAILS.has(name) ? 1 : 0 });
    const added = (await records()).slice(lines.length);
    if ((await everything()) === rows && added.length === 0) return;
    writers.push(name);
    expect(added).toMatchObject([{ actor: null, address: 'terminal', action: name }]);
  });

  test('the commands that write are listed', () => {
    expect(writers.sort()).toEqual([
      'account adjust',
      'account create',
      'account exchange',
      'account logout',
      'account note',
      'account reset-password',
      'account set',
      'account top-up',
      'account verify',
      'alerts add',
      'alerts remove',
      'alerts resend',
      'alerts set',
      'alerts test',
      'apply',
      'catalog delete',
      'credential add',
      'credential remove',
      'credential set',
      'feedback done',
      'key create',
      'key revoke',
      'key set',
      'prices import',
      'registration',
      'secret rotate',
      'subscription cancel',
      'subscription grant',
      'vendor add',
    ]);
  });

  test('the line contains the values before and after: money, keys, credentials', async () => {
    const of = async (action: string) => (await records()).find((each) => each.action === action);
    expect(await of('account create')).toMatchObject({
      before: null,
      after: { email: 'new@example.com', role: 'user', balance: '5', credits: '7' },
    });
    expect(await of('account exchange')).toMatchObject({
      before: { balance: '105', credits: '49999.5' },
      after: { balance: '103', credits: '51999.5', amount: '2', reason: 'account exchange' },
    });
    const key = { name: 'audited', policy_id: 1, expires_at: null, status: 'enabled' };
    expect(await of('key create')).toMatchObject({ before: null, after: key });
    const changed = { ...key, policy_id: null, status: 'disabled' };
    expect(await of('key set')).toMatchObject({ before: key, after: changed });
    expect(await of('key revoke')).toMatchObject({ before: changed, after: null });
    const first = { vendor: 'openai', name: 'own', base_url: null, secret_hint: '6789' };
    expect(await of('credential add')).toMatchObject({ before: null, after: first });
    const newer = { ...first, secret_hint: 'ewer', secret_replaced: true };
    expect(await of('credential set')).toMatchObject({ before: first, after: newer });
    expect(await of('credential remove')).toMatchObject({ before: { secret_hint: 'ewer' }, after: null });
  });

  test('the line contains no key, secret, password or hash', async () => {
    const created = await terminal.json<{ api_key: string }>('key', 'create', ...USER, '--name', 'seen');
    const account = ['account', 'create', '--email', 'other@example.com'];
    const { password } = await terminal.json<{ password: string }>(...account);
    const text = (await records()).map(({ all }) => all).join('\n');
    expect(text).toContain('other@example.com');
    for (const secret of [created.api_key, password, 'TERMINAL-CANARY', 'scrypt', 'X1234567']) {
      expect(text).not.toContain(secret);
    }
  });

  test('a refused command leaves no line', async () => {
    const before = (await records()).length;
    const refused = [
      ['account', 'create', '--email', 'user@example.com'],
      ['account', 'exchange', ...USER, '--amount', '100000'],
      ['key', 'create', ...USER, '--name', 'x', '--policy', '99'],
      ['key', 'revoke', ...USER, '--id', '99'],
      ['credential', 'set', ...USER, '--id', '99', '--name', 'x'],
      ['credential', 'remove', ...USER, '--id', '99'],
    ];
    for (const args of refused) expect((await terminal.run(...args)).code, args.join(' ')).not.toBe(0);
    expect(await records()).toHaveLength(before);
  });
});
