import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Endpoint } from '../../src/platform/endpoint.ts';
import { readEndpoints } from '../../src/platform/table.ts';
import { ask, eachAtOnce, type Told } from './ask.ts';
import { type Supply, valuesFor } from './ids.ts';
import { rowsOf } from './rows-of.ts';
import { type Stage, startStage, type Tenant } from './stage.ts';
import { fieldsOf, isFreeText, isOfType } from './walk.ts';

const rows = readEndpoints();
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

function tokenOf({ access }: Endpoint): string {
  return access === 'operator' ? stage.operator.token : stage.owner.token;
}

const goodIds = (row: Endpoint) =>
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

describe('fields that a row does not name', () => {
  const writes = rows.filter(({ body }) => body !== undefined);

  test('are refused in every write of an operator, by name', async () => {
    const asked = writes.filter(({ surface }) => surface === 'admin').flatMap((row) => unknownOf(row));
    expect(asked.length).toBeGreaterThan(300);
    await eachAtOnce(asked, AT_ONCE, async ({ row, name, bodyText }) => {
      const told = await ask(stage.world.url, {
        ...{ row, token: stage.operator.token, values: await goodIds(row), bodyText },
      });
      expect(
        [told.code, told.text.includes(`${name} is not known`)],
        shown(`${row.name} ${name}`, told),
      ).toEqual([1001, true]);
    });
  });

  test('are ignored in every write of an account, and never taken over', async () => {
    const before = await accountRow(stage.owner);
    const victim = await rowsOf(stage.world.database, stage.victim.id);
    const asked = writes.filter(({ surface, name }) => surface !== 'admin' && !FAREWELLS.has(name));
    expect(asked.length).toBeGreaterThan(12);
    for (const row of asked) {
      const values = await goodIds(row);
      const extra = Object.entries(PRIVILEGED).filter(
        ([name]) => !Object.hasOwn(row.body?.properties ?? {}, name),
      );
      const told = await ask(stage.world.url, {
        ...{ row, token: tokenOf(row), values },
        body: { ...(row.example.body as object), ...Object.fromEntries(extra) },
      });
      expect(told.status, shown(row.name, told)).toBeLessThan(500);
      expect(told.text, shown(row.name, told)).not.toContain('is not known');
      expect(await accountRow(stage.owner), row.name).toEqual(before);
    }
    expect(await rowsOf(stage.world.database, stage.victim.id)).toEqual(victim);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  test('pollute no prototype under the name __proto__', async () => {
    const bodyText = '{"name":"plain","__proto__":{"polluted":true,"status":"disabled","name":"other"}}';
    const row = rowOf('keys.create');
    const told = await ask(stage.world.url, { row, token: stage.owner.token, bodyText });
    expect(JSON.parse(told.text)).toMatchObject({ code: 0, data: { name: 'plain', status: 'enabled' } });
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });
});

function rowOf(name: string): Endpoint {
  const row = rows.find((one) => one.name === name);
  if (row === undefined) throw new Error(`no row ${name}`);
  return row;
}

function unknownOf(row: Endpoint): { row: Endpoint; name: string; bodyText: string }[] {
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

describe('searches', () => {
  test('take every character for itself', async () => {
    const fields = rows.flatMap((row) =>
      fieldsOf(row).flatMap(({ place, schema }) =>
        place.startsWith('query.') && isFreeText(schema) ? [{ row, place }] : [],
      ),
    );
    expect(fields.length).toBeGreaterThan(12);
    const asked = fields.flatMap((field) => WILD.map((text) => ({ ...field, text })));
    await eachAtOnce(asked, AT_ONCE, async ({ row, place, text }) => {
      const told = await ask(stage.world.url, {
        ...{
          row,
          token: tokenOf(row),
          values: { ...(await goodIds(row)), [place]: text, ...noFilter(row, place) },
        },
      });
      expect(told.status, shown(`${row.name} ${place} ${text}`, told)).toBeLessThan(500);
      if (told.code !== 0 || row.file !== undefined) return;
      const { data } = JSON.parse(told.text) as { data: unknown };
      for (const found of Array.isArray(data) ? data : []) {
        const holds = Object.values(found as object).some((value) => String(value).includes(text));
        expect(holds, shown(`${row.name} ${place} ${text} finds what does not hold it`, told)).toBe(true);
      }
    });
  });
});

/** An id beside the searched text would narrow the search to nothing. */
function noFilter(row: Endpoint, place: string): Record<string, undefined> {
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

describe('texts that mean something elsewhere', () => {
  test('mean nothing in any field of any row, whether it is taken or refused', async () => {
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
      const told = await ask(stage.world.url, { row, token: tokenOf(row), values });
      expect(told.status, shown(`${row.name} ${place} ${JSON.stringify(text)}`, told)).toBeLessThan(500);
      expect(told.headers, row.name).not.toMatch(/x-injected|pg_sleep|<script/);
      if (text === '\u0000' || text === '\ud800') {
        expect(told.code, shown(`${row.name} ${place}`, told)).toBe(1001);
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
      const told = await askNumber(row, place, text);
      expect(told.status, shown(`${row.name} ${place} ${text}`, told)).toBeLessThan(500);
      if (place.startsWith('params.') && !isOfType(schema, 'string') && !/^"?\d+"?$/.test(text)) {
        expect(told.code, shown(`${row.name} ${place} ${text}`, told)).toBe(1001);
      }
      const isBeyond =
        /^"|^-?1e|\.|^-|992$|993$|616$/.test(text) || text === '[]' || text === '{}' || text === 'true';
      if (place.startsWith('body.') && isBeyond && !mayBeNegative(schema, text)) {
        expect(told.code, shown(`${row.name} ${place} ${text}`, told)).toBe(1001);
      }
    });
  }, 180_000);
});

function mayBeNegative({ minimum = 0 }: { readonly minimum?: number }, text: string): boolean {
  return minimum < 0 && text === '-1';
}

/** In the body as JSON says it, which no number of ours could. */
async function askNumber(row: Endpoint, place: string, text: string): Promise<Told> {
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
