import { posix } from 'node:path';
import { codeFiles, readTree } from '../house/tree.ts';

/** One proof of `npm run prove`: tests that run before every commit too, here at their large size. */
export interface Proof {
  readonly name: string;
  /** What is claimed, in one line. */
  readonly claim: string;
  /** Test files, or the beginnings of their paths. */
  readonly tests: readonly string[];
  /** Instead of tests: a script of ours and its arguments. */
  readonly script?: readonly string[];
  /** What makes it large. */
  readonly environment: Readonly<Record<string, string>>;
  readonly minutesMax: number;
  /** Its result is the number of its tests, as the runner prints it; the tests print none. */
  readonly countsTests?: true;
}

/** All test files that run properties, themselves or by a suite of a contract. */
export const PROPERTY_TESTS: readonly string[] = listPropertyTests();

function listPropertyTests(): readonly string[] {
  const files = codeFiles(readTree());
  const found = new Set(
    files.filter(({ text }) => text.includes("from 'fast-check'")).map(({ path }) => path),
  );
  // A loop over a set includes what is added meanwhile.
  for (const carrier of found) {
    if (carrier.endsWith('.test.ts')) continue;
    for (const { path, text } of files) if (imports(path, text, carrier)) found.add(path);
  }
  return [...found].filter((path) => path.endsWith('.test.ts'));
}

function imports(path: string, text: string, target: string): boolean {
  const specifier = posix.relative(posix.dirname(path), target);
  return text.includes(` '${specifier.startsWith('.') ? specifier : `./${specifier}`}'`);
}

export const PROOFS: readonly Proof[] = [
  {
    name: 'properties',
    claim: 'every property holds for random values, fifty times as many as in npm test',
    tests: PROPERTY_TESTS,
    environment: { TEST_RUNS: '50' },
    minutesMax: 180,
    countsTests: true,
  },
  {
    name: 'crash',
    claim:
      'kill -9 of server and database under 150 calls of all payers: 0 lost, 0 doubled, ready within 3 s',
    tests: ['test/crash/kill.test.ts', 'test/crash/kill-redis.test.ts', 'test/crash/kill-endpoints.test.ts'],
    environment: { TEST_KILLS: '300' },
    minutesMax: 90,
  },
  {
    name: 'drain',
    claim: 'SIGTERM with 200 streams: all end or are cut and settled, nothing is held any more',
    tests: ['test/crash/drain'],
    environment: {},
    minutesMax: 5,
  },
  {
    name: 'outages',
    claim:
      'PostgreSQL and Redis away for minutes, disk full, clocks set, nodes and workers killed: books exact',
    tests: [
      'test/crash/database-away.test.ts',
      'test/crash/database-full.test.ts',
      'test/crash/redis-away.test.ts',
      'test/crash/disk-full.test.ts',
      'test/crash/clock.test.ts',
      'test/crash/windows.test.ts',
      'test/crash/nodes.test.ts',
      'test/crash/workers.test.ts',
    ],
    environment: {
      TEST_AWAY_MS: '180000',
      TEST_DATABASE_KILLS: '100',
      TEST_REDIS_KILLS: '100',
    },
    minutesMax: 20,
  },
  {
    name: 'backup',
    claim:
      'a backup under load, killed and repeated: the restored money is that of its moment, 0 lost, 0 doubled',
    tests: ['test/crash/backup.test.ts'],
    environment: {},
    minutesMax: 10,
  },
  {
    name: 'upgrade',
    claim:
      'two nodes are upgraded and rolled back under load: 0 lost, 0 doubled; the version before lives with the schema; data of every version opens',
    tests: ['test/upgrade/'],
    environment: { TEST_VERSIONS: 'all' },
    minutesMax: 20,
  },
  {
    name: 'races',
    claim: 'k calls race for one bound, on one process and on four: exactly as many pass as it pays for',
    tests: ['test/race/money-', 'test/race/restart.test.ts', 'test/race/endpoints.test.ts'],
    environment: { TEST_RACE_ROUNDS: '5' },
    minutesMax: 60,
  },
  {
    name: 'limits',
    claim: 'N calls at limit L: exactly L pass, on one process and on four, and Retry-After is true',
    tests: ['test/race/limits-', 'test/race/refused.test.ts', 'test/race/gate-processes.test.ts'],
    environment: { TEST_RACE_ROUNDS: '5' },
    minutesMax: 60,
  },
  {
    name: 'once',
    claim: 'every call is settled exactly once, however often and by however many processes',
    tests: ['test/store/settle-race'],
    environment: { TEST_SETTLE_CALLS: '200000' },
    minutesMax: 60,
  },
  {
    name: 'truth',
    claim:
      'what is charged is what was produced: 512 cells, 20 seeds; every endpoint and cloud, however it ends',
    tests: ['test/truth/truth.test.ts', 'test/truth/endpoints.test.ts'],
    environment: { TEST_SEEDS: '20' },
    minutesMax: 30,
  },
  {
    name: 'turns',
    claim: 'no turn of the event loop takes over 50 ms, whatever a vendor or a client sends',
    tests: ['test/faults/turns.test.ts'],
    environment: { TEST_TURN_MS: '50' },
    minutesMax: 60,
  },
  {
    name: 'slots',
    claim: 'however calls end, no slot stays in use',
    tests: ['test/slots'],
    environment: { TEST_SLOT_CALLS: '10000' },
    minutesMax: 30,
  },
  {
    name: 'model',
    claim: 'random commands leave gate and books as a small reference model says',
    tests: ['test/model'],
    environment: { TEST_MODEL_RUNS: '100000' },
    minutesMax: 120,
  },
  {
    name: 'sabotage',
    claim: 'planted bugs are caught',
    tests: ['test/sabotage'],
    environment: { TEST_SABOTAGE: 'wide' },
    minutesMax: 30,
  },
  {
    name: 'timing',
    claim: 'a foreign id takes as long as an absent one, an unknown account as long as a wrong password',
    tests: ['test/tenants/timing.test.ts'],
    environment: {
      TEST_TIMING_PAIRS: '2000',
      TEST_TIMING_LOGINS: '120',
      TEST_TIMING_COST: '17',
    },
    minutesMax: 60,
  },
  {
    name: 'fuzz',
    claim:
      'ten minutes of strange requests to every row, and some to every endpoint: no 5xx of ours, nothing kept',
    tests: ['test/fuzz'],
    environment: { TEST_FUZZ_SECONDS: '600' },
    minutesMax: 25,
  },
  {
    name: 'reading',
    claim:
      'what leaves us is read as we read it: by Go, Python, busboy, undici, first and last of repeated keys',
    tests: ['test/ambiguity'],
    environment: { TEST_AMBIGUOUS: '200000' },
    minutesMax: 30,
  },
  {
    name: 'console',
    claim: 'pages of the console open at once on 100,000 calls, and nothing on them moves',
    tests: ['test/console-speed'],
    environment: {},
    minutesMax: 5,
  },
  {
    name: 'flat',
    claim: 'the same settling costs the same with ten million rows and with a hundred thousand accounts',
    tests: [],
    script: ['bench/ledger/run.ts'],
    environment: {},
    minutesMax: 60,
  },
  {
    name: 'soak',
    claim: 'an hour of faults, kills and outages: books exact, memory and handles do not grow',
    tests: [],
    script: ['test/soak/run.ts'],
    environment: {},
    minutesMax: 80,
  },
  {
    name: 'release',
    claim: 'the packed package and the container image are small, start fast, serve, drain and go on',
    tests: ['test/release/package.test.ts', 'test/release/container.test.ts'],
    environment: {},
    minutesMax: 15,
  },
  {
    name: 'beside',
    claim:
      'nginx, Caddy and HAProxy with the shipped files pass streams, aborts and bodies on; other databases serve',
    tests: ['test/front/', 'test/store/external.test.ts', 'test/store/pooler.test.ts'],
    environment: {},
    minutesMax: 10,
  },
  {
    name: 'watching',
    claim:
      'a real Prometheus scrapes what we serve, and its alerts fire when vendor, Redis or server are gone',
    tests: ['test/watching/'],
    environment: {},
    minutesMax: 5,
  },
];
