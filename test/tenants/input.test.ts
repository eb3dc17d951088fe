import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Operation } from '../../src/operations/operation.ts';
import { FORM, type TSchema } from '../../src/operations/schema.ts';
import { OPERATIONS } from '../../src/operations/table.ts';
import { makePasswordsCheap } from '../support/suite/cheap-passwords.ts';
import { ask, eachAtOnce, type Told } from './ask.ts';
import { type Supply, valuesFor } from './ids.ts';
import { rowsOf } from './rows-of.ts';
import { type Stage, startStage, type Tenant } from './stage.ts';
import { fieldsOf, isFreeText, isOfType } from './walk.ts';

makePasswordsCheap();

const rows = OPERATIONS;
/** Rows whose success ends the login that asks. */
const FAREWELLS = new Set(['auth.logout', 'auth.password']);
/** Fewer than exports are written at a time. */
const AT_ONCE = 3;
let stage: Stage;
let supply: Supply;

beforeAll(async () => {
  stage = await startStage();
  supply = { stage, spares: [await stage.spare(), await stage.spare()], deleted: {} };
});
afterAll(() => stage.world.close());

function tokenOf({ access }: Operation): string {
  return access === 'operator' ? stage.operator.token : stage.owner.token;
}

/** Nothing is made for a request that is refused anyway. */
const idsFor = (row: Operation) =>
  valuesFor({ row, caller: 'anybody', place: undefined, variant: 'own' }, supply, 'refused anyway');

const goodIds = (row: Operation) =>
  valuesFor({ row, caller: 'anybody', place: undefined, variant: 'own' }, supply, 'really');

const shown = (what: string, { status, text }: Told): string => `${what}: ${status} ${text.slice(0, 200)}`;

/** Ours to set, or nobody’s to name. */
const PRIVILEGED: Readonly<Record<string, unknown>> = {
  ...{ balance: '777', credits: '777', balance_micro: 777, user_type: 2, userType: 2, role: 'operator' },
  ...{ is_admin: true, rate: '1', user_rate: '1', rate_micro: 1, status: 'disabled', id: 1, account_id: 1 },
  ...{
    accountId: 1,
    owner_account_id: 1,
    key_hash: 'x',
    granted_micro: 777,
    decided_by: 1,
    email: 'x@example.com',
  },
  ...{ constructor: { prototype: { polluted: true } }, toString: 1, hasOwnProperty: 1 },
};

describe('unknown fields', () => {
  const writes = rows.filter(({ body }) => body !== undefined);

  test('are refused in every write, by name', async () => {
    const before = await accountRow(stage.owner);
    const victim = await rowsOf(stage.world.database, stage.victim.id);
    const asked = writes.flatMap((row) => unknownOf(row));
    expect(asked.length).toBeGreaterThan(500);
    await eachAtOnce(asked, AT_ONCE, async ({ row, name, bodyText }) => {
      const reply = await ask(stage.world.url, {
        ...{ row, token: tokenOf(row), values: await idsFor(row), bodyText },
      });
      expect(
        [reply.code, reply.text.includes(`${name} is not known`)],
        shown(`${row.name} ${name}`, reply),
      ).toEqual([1001, true]);
    });
    expect(await accountRow(stage.owner)).toEqual(before);
    expect(await rowsOf(stage.world.database, stage.victim.id)).toEqual(victim);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  test('pollute no prototype with __proto__', async () => {
    const bodyText = '{"name":"plain","__proto__":{"polluted":true,"status":"disabled","name":"other"}}';
    const row = rowOf('keys.create');
    const reply = await ask(stage.world.url, { row, token: stage.owner.token, bodyText });
    expect(JSON.parse(reply.text)).toMatchObject({ code: 0, data: { name: 'plain', status: 'enabled' } });
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  test('are refused in the query of every row, by name', async () => {
    const names = ['unknown', 'Page', 'key', 'model_id', 'account_id', '__proto__', 'constructor'];
    const asked = rows.flatMap((row) =>
      names
        .filter((name) => !Object.hasOwn(row.query?.properties ?? {}, name))
        .map((name) => ({ row, name })),
    );
    expect(asked.length).toBeGreaterThan(6 * rows.length);
    await eachAtOnce(asked, AT_ONCE, async ({ row, name }) => {
      const values = { ...(await idsFor(row)), [`query.${name}`]: '1' };
      const reply = await ask(stage.world.url, { row, token: tokenOf(row), values });
      const isNamed = reply.text.includes(`"${name} is not known: `);
      expect([reply.code, isNamed], shown(`${row.name} ?${name}`, reply)).toEqual([1001, true]);
    });
  });
});

describe('the message about a wrong field', () => {
  /** A schema with everything in it. */
  function* walk(schema: TSchema, place: string): Generator<[place: string, schema: TSchema]> {
    yield [place, schema];
    for (const each of schema.anyOf ?? []) yield* walk(each, place);
    if (schema.items !== undefined) yield* walk(schema.items, `${place}[]`);
    for (const [name, each] of Object.entries({ ...schema.properties, ...schema.patternProperties })) {
      yield* walk(each, `${place}.${name}`);
    }
  }
  const fields = rows.flatMap((row) =>
    [row.params, row.query, row.body].flatMap((part) =>
      part === undefined ? [] : [...walk(part, row.name)],
    ),
  );

  test('is a sentence wherever a text must have a form', () => {
    const formed = fields.filter(([, { pattern }]) => pattern !== undefined);
    expect(formed.length).toBeGreaterThan(50);
    expect(formed.filter(([, schema]) => schema[FORM] === undefined).map(([place]) => place)).toEqual([]);
  });

  test('exists for objects at every depth: none hides behind a choice of forms', () => {
    const hidden = fields.filter(([, { anyOf = [] }]) => anyOf.some(({ properties }) => properties));
    expect(hidden.map(([place]) => place)).toEqual([]);
  });

  test.each([
    ['2027-01-01', 'must be a time such as 2026-11-15 09:05:00 (YYYY-MM-DD hh:mm:ss), or null'],
    ['2027-01-01T00:00:00Z', 'must be a time such as 2026-11-15 09:05:00 (YYYY-MM-DD hh:mm:ss), or null'],
    ['2027-01-01 00:00:00.000', 'must be a time such as 2026-11-15 09:05:00 (YYYY-MM-DD hh:mm:ss), or null'],
    [1_800_000_000, 'must be a time such as 2026-11-15 09:05:00 (YYYY-MM-DD hh:mm:ss), or null'],
    ['tomorrow', 'must be a time such as 2026-11-15 09:05:00 (YYYY-MM-DD hh:mm:ss), or null'],
    ['2027-02-30 00:00:00', 'is a date or time that does not exist in the time zone UTC'],
    ['2027-13-01 00:00:00', 'is a date or time that does not exist in the time zone UTC'],
    ['2027-01-01 24:00:01', 'is a date or time that does not exist in the time zone UTC'],
  ])('exists for a time: %s', async (time, problem) => {
    const row = rowOf('keys.create');
    const body = { name: 'x', expires_at: time };
    const reply = await ask(stage.world.url, { row, token: stage.owner.token, body });
    const message = `expires_at ${problem}`;
    expect(JSON.parse(reply.text)).toMatchObject({ code: 1001, message, data: null, error: { message } });
  });

  test('of a past time contains the current time', async () => {
    const row = rowOf('keys.create');
    const body = { name: 'x', expires_at: '2020-01-01 00:00:00' };
    const reply = await ask(stage.world.url, { row, token: stage.owner.token, body });
    expect((JSON.parse(reply.text) as { message: string }).message).toMatch(
      /^expires_at is in the past: the time is \d{4}-\d\d-\d\d \d\d:\d\d:\d\d \(UTC\)$/,
    );
  });
});

function rowOf(name: string): Operation {
  const row = rows.find((one) => one.name === name);
  if (row === undefined) throw new Error(`no row ${name}`);
  return row;
}

function unknownOf(row: Operation): { row: Operation; name: string; bodyText: string }[] {
  const unknown = Object.keys(PRIVILEGED).filter((name) => !Object.hasOwn(row.body?.properties ?? {}, name));
  return unknown.map((name) => {
    const example = JSON.stringify(row.example.body).slice(1, -1);
    const value = JSON.stringify(PRIVILEGED[name]);
    return { row, name, bodyText: `{${example}${example === '' ? '' : ','}"${name}":${value}}` };
  });
}

/** What only operators, the ledger or nobody may change. */
async function accountRow({ id }: Tenant): Promise<unknown> {
  const rowsFound = await stage.world.database.query(
    `select id, email, password_hash, status, role, user_type, user_rate_micro, balance_micro, credits_micro,
       month_spent_micro, (select count(*) from ledger_entries where account_id = accounts.id) as entries
     from accounts where id = $1`,
    [id],
  );
  return rowsFound[0];
}

const WILD = [
  '%',
  '_',
  '%%%%%%%%',
  '\\',
  "'",
  '"',
  "' or '1'='1",
  "'; drop table calls; --",
  '$1',
  '\\%',
  '*',
  '.*',
];

/** Statistics over time have a row for each hour or day, whether or not there was anything. */
const SERIES = ['stats.trend', 'accountStats.trend', 'overview.series'];

describe('searches', () => {
  test('match every character literally', async () => {
    const fields = rows.flatMap((row) =>
      fieldsOf(row).flatMap(({ place, schema }) =>
        place.startsWith('query.') && isFreeText(schema) ? [{ row, place }] : [],
      ),
    );
    expect(fields.length).toBeGreaterThan(12);
    const asked = fields.flatMap((field) => WILD.map((text) => ({ ...field, text })));
    await eachAtOnce(asked, AT_ONCE, async ({ row, place, text }) => {
      const reply = await ask(stage.world.url, {
        ...{
          row,
          token: tokenOf(row),
          values: { ...(await goodIds(row)), [place]: text, ...noFilter(row, place) },
        },
      });
      expect(reply.status, shown(`${row.name} ${place} ${text}`, reply)).toBeLessThan(500);
      if (reply.code !== 0 || row.file !== undefined || SERIES.includes(row.name)) return;
      const { data } = JSON.parse(reply.text) as { data: unknown };
      for (const found of Array.isArray(data) ? data : []) {
        const holds = Object.values(found as object).some((value) => String(value).includes(text));
        expect(holds, shown(`${row.name} ${place} ${text} finds what does not hold it`, reply)).toBe(true);
      }
    });
  });
});

/** An id beside the searched text would narrow the search to nothing. */
function noFilter(row: Operation, place: string): Record<string, undefined> {
  const others = fieldsOf(row).filter((field) => field.place.startsWith('query.') && field.place !== place);
  return Object.fromEntries(others.map((field) => [field.place, undefined]));
}

const NASTY = [
  ...["'; select pg_sleep(9); --", '\r\nx-injected: 1', '\u0000', '../../etc/passwd', '{{7*7}}'],
  ...[
    '<script>alert(1)</script>',
    '\ud800',
    '‮',
    '%0d%0ax-injected: 1',
    'a'.repeat(300),
    '\u0007\u001b[31m',
    '🙂',
  ],
];

describe('texts with a meaning elsewhere', () => {
  test('have no meaning in any field of any row, accepted or refused', async () => {
    const asked = rows.flatMap((row) =>
      fieldsOf(row).flatMap(({ place, schema }) =>
        FAREWELLS.has(row.name) || !isOfType(schema, 'string')
          ? []
          : NASTY.map((text) => ({ row, place, text })),
      ),
    );
    expect(asked.length).toBeGreaterThan(800);
    await eachAtOnce(asked, AT_ONCE, async ({ row, place, text }) => {
      if (!place.startsWith('body.') && !text.isWellFormed()) return;
      const values = { ...(await goodIds(row)), [place]: text };
      const reply = await ask(stage.world.url, { row, token: tokenOf(row), values });
      expect(reply.status, shown(`${row.name} ${place} ${JSON.stringify(text)}`, reply)).toBeLessThan(500);
      expect(reply.headers, row.name).not.toMatch(/x-injected|pg_sleep|<script/);
      if (text === '\u0000' || text === '\ud800') {
        expect(reply.code, shown(`${row.name} ${place}`, reply)).toBe(1001);
      }
    });
  }, 180_000);
});

const NUMBERS = [
  '0',
  '-1',
  '1.5',
  '"1"',
  '1e400',
  '-1e400',
  '-0',
  '9007199254740991',
  '9007199254740992',
].concat(['9007199254740993', '18446744073709551616', '1e21', 'null', 'true', '[]', '{}', '"0x10"', '"١"']);

describe('numbers at and beyond every edge', () => {
  test('change nothing that they do not name, in any field of any row', async () => {
    const asked = rows.flatMap((row) =>
      fieldsOf(row).flatMap(({ place, schema }) =>
        isOfType(schema, 'integer') || isOfType(schema, 'number')
          ? NUMBERS.map((text) => ({ row, place, text, schema }))
          : [],
      ),
    );
    expect(asked.length).toBeGreaterThan(800);
    await eachAtOnce(asked, AT_ONCE, async ({ row, place, text, schema }) => {
      const reply = await askNumber(row, place, text);
      expect(reply.status, shown(`${row.name} ${place} ${text}`, reply)).toBeLessThan(500);
      if (place.startsWith('params.') && !isOfType(schema, 'string') && !/^"?\d+"?$/.test(text)) {
        expect(reply.code, shown(`${row.name} ${place} ${text}`, reply)).toBe(1001);
      }
      const isBeyond =
        /^"|^-?1e|\.|^-|992$|993$|616$/.test(text) || text === '[]' || text === '{}' || text === 'true';
      if (place.startsWith('body.') && isBeyond && !mayBeNegative(schema, text)) {
        expect(reply.code, shown(`${row.name} ${place} ${text}`, reply)).toBe(1001);
      }
    });
  }, 180_000);
});

function mayBeNegative({ minimum = 0 }: { readonly minimum?: number }, text: string): boolean {
  return minimum < 0 && text === '-1';
}

/** In the body as JSON says it, which no number of ours could. */
async function askNumber(row: Operation, place: string, text: string): Promise<Told> {
  const token = tokenOf(row);
  const values = await goodIds(row);
  if (!place.startsWith('body.')) {
    return ask(stage.world.url, { row, token, values: { ...values, [place]: text.replaceAll('"', '') } });
  }
  const name = place.slice('body.'.length);
  const { [name]: _replaced, ...example } = row.example.body as Record<string, unknown>;
  const inside = JSON.stringify(example).slice(1, -1);
  const bodyText = `{${inside}${inside === '' ? '' : ','}"${name}":${text}}`;
  return ask(stage.world.url, { row, token, values, bodyText });
}
