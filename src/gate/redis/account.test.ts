import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { needs, REDIS } from '../../../test/needs.ts';
import { runs } from '../../../test/support/property-runs.ts';
import { startRedis, type TestRedis } from '../../../test/support/redis.ts';
import { AMOUNT_MICRO_MAX } from '../../kernel/money.ts';
import { PRELUDE } from './script.ts';

/** What the scripts compute with, tried alone: each line of triples is answered by a line of results. */
const TRIALS = `${PRELUDE}
take_line(ARGV[1])
local results = {}
for index = 1, take_number() do
  local one, other, factor = take_amount(), take_amount(), take_number()
  local order = one < other and 'less' or other < one and 'more' or 'same'
  local texts = { write(one), write(one + other), write(one - other), write(read(take()) * factor), order, tostring(one <= other) }
  results[index] = table.concat(texts, ' ')
end
return table.concat(results, ';')`;

type Trial = readonly [bigint, bigint, number, bigint];

const LARGEST = 2n ** 63n - 1n;
const amount = fc.oneof(
  fc.bigInt({ min: -LARGEST, max: LARGEST }),
  fc.bigInt({ min: -2_000_000_000n, max: 2_000_000_000n }),
  fc.constantFrom(
    0n,
    1n,
    -1n,
    LARGEST,
    -LARGEST,
    10n ** 9n,
    10n ** 9n - 1n,
    -(10n ** 9n),
    10n ** 15n,
    10n ** 18n,
  ),
  fc.constantFrom(2n ** 53n, 2n ** 53n + 1n, 2n ** 53n - 1n, 999_999_999_999_999n, 1_000_000_000_000_001n),
);
const yuan = fc.oneof(
  fc.bigInt({ min: -AMOUNT_MICRO_MAX, max: AMOUNT_MICRO_MAX }),
  fc.constantFrom(AMOUNT_MICRO_MAX, -AMOUNT_MICRO_MAX, 999_999_999n),
);
const factor = fc.oneof(
  fc.integer({ min: 1, max: 1_000_000 }),
  fc.constantFrom(1, 1_000, 999_999, 1_000_000),
);

function expected([one, other, times, yuan]: Trial): string {
  const order = one < other ? 'less' : one > other ? 'more' : 'same';
  return [one, one + other, one - other, yuan * BigInt(times), order, one <= other].join(' ');
}

describe('amounts on Redis', needs(REDIS), () => {
  let redis: TestRedis;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis?.close());

  it('add, subtract, multiply and compare as whole numbers do, up to 2^63 and beyond', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(amount, amount, factor, yuan), { minLength: 1, maxLength: 40 }),
        async (trials) => {
          const line = `${trials.length} ${trials.flat().join(' ')}`;
          const said = await redis.inspect.eval(TRIALS, 0, line);
          expect(String(said).split(';')).toEqual(trials.map(expected));
        },
      ),
      { numRuns: runs(150) },
    );
  });
});
