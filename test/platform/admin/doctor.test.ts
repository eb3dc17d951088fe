import { afterAll, beforeAll, expect, test } from 'vitest';
import { startWorld, type World } from '../../support/world.ts';
import { type Operator, operatorOf } from './operator.ts';

let world: World;
let operator: Operator;

beforeAll(async () => {
  world = await startWorld();
  operator = await operatorOf(world);
});
afterAll(() => world?.close());

interface Report {
  readonly state: string;
  readonly is_running: boolean;
  readonly checked_at: string | null;
  readonly checks: number;
  readonly findings: { readonly check: string }[];
}

/** The first check may take longer than a request waits. */
async function report(): Promise<Report> {
  for (;;) {
    const told = await operator.get<Report>('/doctor');
    if (!told.is_running) return told;
  }
}

test('the ledger is checked once for many who ask, and the answer says when', async () => {
  const [first] = await Promise.all(Array.from({ length: 5 }, () => report()));
  expect(first).toMatchObject({ state: 'sound', findings: [], shortfalls: { calls: 0, credits: '0' } });
  expect(first?.checks).toBeGreaterThan(15);
  await world.database.query(
    "update accounts set credits_micro = credits_micro + 1 where email = 'user@example.com'",
  );
  // The answer of a moment ago still stands.
  expect(await report()).toEqual(first);
});

test('another server finds what is wrong, and nothing is written', async () => {
  const other = await startWorld();
  try {
    await other.database.query(
      "update accounts set credits_micro = credits_micro + 1 where email = 'user@example.com'",
    );
    operator = await operatorOf(other);
    const found = await report();
    expect(found).toMatchObject({
      state: 'findings',
      findings: [{ check: 'credits-sum', promise: expect.any(String), reading: expect.any(String) }],
    });
  } finally {
    await other.close();
  }
});
