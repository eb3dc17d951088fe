import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FAILURES } from '../../src/operations/failure.ts';
import type { Operation } from '../../src/operations/operation.ts';
import { OPERATIONS } from '../../src/operations/table.ts';
import { failureNames } from '../../src/platform/openapi/openapi.ts';
import { updateAccount } from '../../src/store/accounts/accounts.ts';
import { newMember } from '../support/logins.ts';
import { makePasswordsCheap } from '../support/suite/cheap-passwords.ts';
import { ask, eachAtOnce, type Told } from './ask.ts';
import { ID_VARIANTS, type IdVariant, isMalformed, type Supply, valuesFor } from './ids.ts';
import { rowsOf } from './rows-of.ts';
import { type Stage, startStage } from './stage.ts';
import { idPlaces, type Place, SUBJECTS } from './subjects.ts';

makePasswordsCheap();

const CALLERS = [
  ...['none', 'garbage', 'api key', 'expired', 'revoked', 'disabled account'],
  ...['own', 'other', 'operator'],
] as const;
type Caller = (typeof CALLERS)[number];
const LOGGED_IN: readonly Caller[] = ['own', 'other', 'operator'];

interface Cell {
  readonly row: Operation;
  readonly caller: Caller;
  /** Nothing: the row takes no id, or this is its plain request. */
  readonly place: Place | undefined;
  readonly variant: IdVariant;
}

interface Seen extends Cell {
  readonly told: Told;
}

/** Answers tell whole seconds. */
const begunMs = Date.now() - 1_000;
/** Fewer than exports are written at a time: no answer is about who else asks. */
const AT_ONCE = 3;
const rows = OPERATIONS;
let stage: Stage;
let tokens: Readonly<Record<Caller, string | undefined>>;

beforeAll(async () => {
  stage = await startStage();
  tokens = await makeTokens(stage);
});
afterAll(() => stage.world.close());

async function makeTokens({ login, owner, stranger, operator, world }: Stage): Promise<typeof tokens> {
  const lockedId = await newMember(world.database, 'locked@example.com');
  const locked = await login(lockedId);
  await updateAccount(world.database, lockedId, { status: 'disabled' });
  const revoked = await login(owner.id);
  await world.api('POST', '/api/v1/user/auth/logout', { token: revoked, body: {} });
  return {
    ...{ none: undefined, garbage: 'tga1.not-one-of-ours', 'api key': owner.key, revoked },
    ...{ expired: await login(owner.id, { expiresAtMs: 1_000 }), 'disabled account': locked },
    ...{ own: owner.token, other: stranger.token, operator: operator.token },
  };
}

function* cellsOf(row: Operation): Generator<Cell> {
  const places = Object.keys(SUBJECTS[row.name] ?? {}) as Place[];
  for (const caller of CALLERS) {
    if (places.length === 0) yield { row, caller, place: undefined, variant: 'own' };
    for (const place of places) {
      for (const variant of ID_VARIANTS) yield { row, caller, place, variant };
    }
  }
}

/** 0 when the caller gets in. */
function doorCode({ access }: Operation, caller: Caller): number {
  if (access === 'public' || access === 'optional') return 0;
  if (!LOGGED_IN.includes(caller)) return FAILURES.notLoggedIn.code;
  return access === 'operator' && caller !== 'operator' ? FAILURES.notAllowed.code : 0;
}

/** A request that ends logins gets an account of its own to end them of. */
async function tokenOf({ row, caller, variant }: Cell): Promise<string | undefined> {
  const isSpent = row.surface === 'auth' && row.access === 'user' && LOGGED_IN.includes(caller);
  if (!isSpent) return tokens[caller];
  const email = `${row.name}-${caller}-${variant}@example.com`.toLowerCase();
  return stage.login(await newMember(stage.world.database, email));
}

async function play(cell: Cell, supply: Supply): Promise<Seen> {
  const mayWork = doorCode(cell.row, cell.caller) === 0;
  const values = await valuesFor(cell, supply, mayWork ? 'really' : 'refused anyway');
  const told = await ask(stage.world.url, { row: cell.row, token: await tokenOf(cell), values });
  return { ...cell, told };
}

function nameOf({ row, caller, place, variant, told }: Seen): string {
  return `${row.name} as ${caller}, ${place ?? 'no id'} ${variant}: ${told.status} ${told.text.slice(0, 160)}`;
}

/** A period that ends now ends a second later in the next answer. */
const ENDS_NOW = /(?<="to":")[^"]+/g;

function bytesOf({ told: { status, text, headers } }: Seen): readonly unknown[] {
  return [
    status,
    text.replace(ENDS_NOW, (time) => (Date.parse(`${time}Z`) >= begunMs ? 'now' : time)),
    headers,
  ];
}

describe('every row × every caller × every id', () => {
  const seen: Seen[] = [];
  let before: Record<string, string[]>;

  test('has a line in the matrix, with every id of its schemas', () => {
    const missing = rows.filter(({ name }) => SUBJECTS[name] === undefined).map(({ name }) => name);
    expect(missing, 'rows without a line').toEqual([]);
    for (const row of rows) {
      expect([...idPlaces(row)].sort(), row.name).toEqual(Object.keys(SUBJECTS[row.name] ?? {}).sort());
    }
  });

  test('is requested, at least two thousand times', async () => {
    const { victim, owner, world } = stage;
    before = await rowsOf(world.database, victim.id);
    expect(Object.keys(before).length, 'tables with something of the victim').toBeGreaterThan(8);
    const supply: Supply = { stage, spares: await Promise.all([1, 2].map(() => stage.spare())), deleted: {} };
    supply.deleted.key = await stage.fresh('key', owner);
    supply.deleted.byok = await stage.fresh('byok', owner);
    supply.deleted.channel = await stage.fresh('channel', owner);
    const gone = { token: owner.token };
    await world.api('DELETE', `/api-key?ids=${supply.deleted.key}`, gone);
    await world.api('DELETE', `/credential?ids=${supply.deleted.byok}`, gone);
    await world.api('DELETE', `/alert/channels?ids=${supply.deleted.channel}`, gone);
    const cells = rows.flatMap((row) => [...cellsOf(row)]);
    await eachAtOnce(cells, AT_ONCE, async (cell) => void seen.push(await play(cell, supply)));
    expect(seen.length).toBeGreaterThanOrEqual(2_000);
  }, 240_000);

  test('answers unauthorised callers with 1002 or 1003 and nothing else', () => {
    for (const one of seen) {
      const code = doorCode(one.row, one.caller);
      if (code !== 0) expect(one.told.code, nameOf(one)).toBe(code);
      else
        expect([1002, 1003].includes(one.told.code) && one.row.surface !== 'auth', nameOf(one)).toBe(false);
    }
  });

  test('has only answers of its row, and no 500', () => {
    for (const one of seen) {
      const codes = failureNames(one.row).map((name) => FAILURES[name].code as number);
      expect(one.told.status, nameOf(one)).not.toBe(500);
      expect([0, ...codes], nameOf(one)).toContain(one.told.code);
    }
  });

  test('answers for a foreign, a deleted and an absent thing with the same bytes', () => {
    let compared = 0;
    for (const one of seen) {
      if (one.variant !== 'absent' || doorCode(one.row, one.caller) !== 0 || one.row.access === 'operator')
        continue;
      const same = seen.filter(
        ({ row, caller, place, variant }) =>
          row === one.row && caller === one.caller && place === one.place && isForeign(one, variant),
      );
      for (const other of same) {
        compared++;
        expect(bytesOf(other), nameOf(other)).toEqual(bytesOf(one));
      }
    }
    expect(compared).toBeGreaterThan(30);
  });

  test('accepts nothing in place of an id', () => {
    for (const one of seen.filter(({ variant, place }) => isMalformed(variant, place))) {
      if (doorCode(one.row, one.caller) !== 0) continue;
      const isText = one.place?.startsWith('params.') && !isNumber(one.row, one.place);
      expect(one.told.code, nameOf(one)).toBe(isText ? FAILURES.notFound.code : FAILURES.badParameter.code);
    }
  });

  test('finds what belongs to the caller', () => {
    const reads = seen.filter(({ row, variant }) => row.method === 'GET' && variant === 'own');
    for (const one of reads) {
      const isOwner = one.row.access === 'operator' ? one.caller === 'operator' : one.caller === 'own';
      // Rows before have spent the balance of which this one tells what an exchange would leave.
      const isPoor = one.row.name === 'points.previewExchange';
      const expected = isPoor ? [0, FAILURES.insufficientBalance.code] : [0];
      if (isOwner) expect(expected, nameOf(one)).toContain(one.told.code);
    }
  });

  test('returns nothing of a tenant to others', () => {
    const { owner, victim } = stage;
    let mentions = 0;
    for (const one of seen) {
      if (one.caller === 'operator' && one.row.access === 'operator') continue;
      expect(one.told.text.includes(victim.canary), nameOf(one)).toBe(false);
      if (one.caller !== 'own') expect(one.told.text.includes(owner.canary), nameOf(one)).toBe(false);
      else if (one.told.text.includes(owner.canary)) mentions++;
    }
    expect(mentions, 'answers in which a canary could have been seen').toBeGreaterThan(10);
  });

  test('leaves every row of the other tenant unchanged', async () => {
    expect(await rowsOf(stage.world.database, stage.victim.id)).toEqual(before);
  });
});

/** To a stranger everything of a tenant is foreign. */
function isForeign({ row, caller, place }: Seen, variant: IdVariant): boolean {
  if (variant === 'foreign' || variant === 'deleted') return true;
  if (variant === 'mixed') return !isMalformed(variant, place);
  const kind = place === undefined ? undefined : SUBJECTS[row.name]?.[place];
  return variant === 'own' && caller !== 'own' && kind !== undefined && kind !== 'platform';
}

function isNumber(row: Operation, place: Place): boolean {
  const schema = row.params?.properties[place.slice('params.'.length)] as { type?: string } | undefined;
  return schema?.type === 'integer';
}
