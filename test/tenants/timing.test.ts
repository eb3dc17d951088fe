import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { LoginStore } from '../../src/accounts/login-contract.ts';
import type { Operation } from '../../src/operations/operation.ts';
import { OPERATIONS } from '../../src/operations/table.ts';
import { cheapHash, type LoginNode, newMember, startLoginNode } from '../support/logins.ts';
import { type FreshDatabase, freshDatabase } from '../support/postgres.ts';
import { sleep } from '../support/processes.ts';
import { ask } from './ask.ts';
import { type Stage, startStage } from './stage.ts';
import { type Place, SUBJECTS } from './subjects.ts';
import { type Compared, compare, measure, median, told } from './timing.ts';

/** `npm run prove` takes more of both, writes too, and passwords at their full cost. */
const PAIRS = Number(process.env.TEST_TIMING_PAIRS ?? 100);
const LOGIN_PAIRS = Number(process.env.TEST_TIMING_LOGINS ?? 60);
const COST_LOG2 = Number(process.env.TEST_TIMING_COST ?? 12);
const IS_LARGE = PAIRS > 200;
/** While it is unclear, so many times the pairs. */
const PATIENCE = 4;

/** A millisecond; where the machine is so busy that a request takes many, as large a share of it. */
const idBoundMs = (medianMs: number): number => Math.max(1, 0.25 * medianMs);
const LOGIN_SHARE = 0.2;
const ABSENT = 900_000_001;

const spent = async (work: () => Promise<unknown>): Promise<number> => {
  const begunMs = performance.now();
  await work();
  return performance.now() - begunMs;
};

/** Half above what must not be there: it follows the machine, which may be busier than a moment ago. */
const PLANTED = 1.5;
const LATEST = 20;

/** What requests take now: the median of the latest ones. */
class Usual {
  readonly #latest: number[] = [];

  add(tookMs: number): number {
    this.#latest.push(tookMs);
    if (this.#latest.length > LATEST) this.#latest.shift();
    return tookMs;
  }

  get ms(): number {
    return median(this.#latest);
  }
}

/** As long as it takes, without giving the processor away: a sleep of a millisecond is two. */
function spin(durationMs: number): void {
  const endMs = performance.now() + durationMs;
  while (performance.now() < endMs);
}

describe('two samples', () => {
  /** Skewed like answers of a server, and the same in every run. */
  function sampleOf(seed: number, shiftMs: number): number[] {
    let state = seed;
    return Array.from({ length: 200 }, () => {
      state = (state * 48_271) % 2_147_483_647;
      return 2 + shiftMs - Math.log(state / 2_147_483_647);
    });
  }
  test.each([
    [0, 'same'],
    [0.1, 'same'],
    [1, 'different'],
    [-1, 'different'],
    [3, 'different'],
  ])('that are %f ms apart are %s under a bound of one', (shiftMs, kind) => {
    const compared = compare(sampleOf(1, 0), sampleOf(77, shiftMs), 1);
    expect(compared.kind, told(compared)).toBe(kind);
    expect(compared.shiftMs).toBeCloseTo(shiftMs, 0);
  });

  test('that are too few and too wide are neither', () => {
    const wide = (seed: number) => sampleOf(seed, 0).map((each) => each * 20);
    expect(compare(wide(1).slice(0, 10), wide(2).slice(0, 10), 1).kind).toBe('unclear');
  });
});

interface Way {
  readonly row: Operation;
  readonly place: Place;
  readonly kind: 'key' | 'byok' | 'call';
}

/** Every row of users that takes the id of something of a tenant's. */
const WAYS: readonly Way[] = OPERATIONS.flatMap((row) => {
  const entries = Object.entries(SUBJECTS[row.name] ?? {}) as [Place, string][];
  const isMeasured = row.access === 'user' && (IS_LARGE || row.method === 'GET');
  return entries.flatMap(([place, kind]) =>
    isMeasured && (kind === 'key' || kind === 'byok' || kind === 'call') ? [{ row, place, kind }] : [],
  );
});

describe('a foreign id takes as long as an absent one', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await startStage();
  });
  afterAll(() => stage.world.close());

  let isPlanted = false;

  function compareIds({ row, place, kind }: Way): Promise<Compared> {
    const foreign = stage.victim.things[kind];
    const usual = new Usual();
    const timed = async (side: 'first' | 'second'): Promise<number> => {
      const values = { [place]: side === 'first' ? ABSENT : foreign };
      return spent(async () => {
        await ask(stage.world.url, { row, token: stage.owner.token, values });
        if (side === 'second' && isPlanted) spin(PLANTED * idBoundMs(usual.ms));
      });
    };
    return measure({
      pairs: PAIRS,
      pairsMax: PAIRS * PATIENCE,
      boundMs: idBoundMs,
      take: async (side) => (side === 'first' ? usual.add(await timed(side)) : timed(side)),
    });
  }

  test('in rows of every kind', () => {
    const kinds = IS_LARGE ? ['call', 'byok', 'key'] : ['call', 'key'];
    expect([...new Set(WAYS.map(({ kind }) => kind))].sort()).toEqual(kinds);
    expect(WAYS.length).toBeGreaterThan(IS_LARGE ? 9 : 4);
  });

  test.each(WAYS.map((way) => [`${way.row.name} by ${way.place}`, way] as const))(
    '%s',
    async (name, way) => {
      const compared = await compareIds(way);
      console.log(`proof | same time: ${name} | ${compared.pairs} pairs | ${told(compared)}`);
      expect(compared.kind, told(compared)).toBe('same');
    },
    600_000,
  );

  test('and a planted difference is found', async () => {
    const way = WAYS.at(-1);
    if (way === undefined) throw new Error('there are rows');
    isPlanted = true;
    const compared = await compareIds(way);
    expect(compared.kind, told(compared)).toBe('different');
    expect(compared.shiftMs).toBeGreaterThan(0);
  }, 600_000);
});

describe('a wrong password of an unknown account takes as long as one of a known', () => {
  let fresh: FreshDatabase;
  let node: LoginNode;
  /** Whether the store looks longer for whoever it finds. */
  let isPlanted = false;
  const usual = new Usual();
  let accounts = 0;
  const stored = cheapHash('a test password', COST_LOG2);

  beforeAll(async () => {
    fresh = await freshDatabase();
    node = await startLoginNode(fresh.database, { wrap: plant, nobody: cheapHash('nobody', COST_LOG2) });
    // Everybody is asked for once, as a guesser would: neither has failed before.
    for (let each = 0; each < LOGIN_PAIRS * PATIENCE * 2 + 100; each++) {
      await newMember(fresh.database, `known${each}@example.com`, 'user', stored);
    }
  });
  afterAll(async () => {
    await node.close();
    await fresh.drop();
  });

  function plant(store: LoginStore): LoginStore {
    const findLogin: LoginStore['findLogin'] = async (email, mark) => {
      const found = await store.findLogin(email, mark);
      if (found !== undefined && isPlanted) await sleep(PLANTED * LOGIN_SHARE * usual.ms);
      return found;
    };
    return { ...store, findLogin };
  }

  function compareLogins(): Promise<Compared> {
    return measure({
      pairs: LOGIN_PAIRS,
      pairsMax: LOGIN_PAIRS * PATIENCE,
      boundMs: (medianMs) => LOGIN_SHARE * medianMs,
      take: async (side) => {
        const number = side === 'first' ? accounts : accounts++;
        const email = side === 'first' ? `nobody${number}@example.com` : `known${number}@example.com`;
        const from = `10.${side === 'first' ? 1 : 2}.${number >> 8}.${number & 255}`;
        const tookMs = await spent(async () => {
          const answer = await node.ask('auth/login', { email, password: 'a guess' }, { from });
          expect(answer.code).toBe(1002);
        });
        return side === 'first' ? usual.add(tookMs) : tookMs;
      },
    });
  }

  test('within a fifth', async () => {
    const compared = await compareLogins();
    console.log(`proof | same time: login, 2^${COST_LOG2} | ${compared.pairs} pairs | ${told(compared)}`);
    expect(compared.kind, told(compared)).toBe('same');
  }, 600_000);

  test('and a planted difference is found', async () => {
    isPlanted = true;
    const compared = await compareLogins();
    expect(compared.kind, told(compared)).toBe('different');
    expect(compared.shiftMs).toBeGreaterThan(0);
  }, 600_000);
});
