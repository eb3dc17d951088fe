/**
 * `npm run prove`: every proof at its large size, one after the other; hours. `-- --only crash,truth` runs
 * some, `--list` only names them. `--small` runs the proofs and all other long tests at their small size,
 * side by side, as part of every CI run. Ends with 1 when one fails. Each run draws a seed for its random
 * values and for the order of the files, and prints it; `TEST_SEED` repeats one.
 */
import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs, stripVTControlCharacters } from 'node:util';
import { projectRoot } from '../house/tree.ts';
import { countTests, readLines, tableOf, type Verdict } from './lines.ts';
import { PROOFS, PROPERTY_TESTS, type Proof } from './proofs.ts';

/** From the polite signal to the other one: time to stop the servers that tests started. */
const KILL_AFTER_MS = 10_000;
const { TEST_SEED: SEED = String(randomInt(2 ** 31)) } = process.env;
const VITEST = [
  'node_modules/vitest/vitest.mjs',
  'run',
  '--sequence.shuffle.files',
  `--sequence.seed=${SEED}`,
];
/** Everything that `npm test` leaves out. */
const SMALL: Proof = {
  name: 'small',
  claim: 'every proof and every other long test, at the small size',
  tests: ['--project', 'proofs', '--project', 'console-proofs'],
  environment: {},
  minutesMax: 60,
};
const SMALL_PROPERTIES: Proof = {
  name: 'properties',
  claim: 'every property holds for random values',
  tests: PROPERTY_TESTS,
  environment: { TEST_RUNS: '2' },
  minutesMax: 20,
  countsTests: true,
};
const ALL_SMALL: readonly Proof[] = [SMALL, SMALL_PROPERTIES];

async function prove(proof: Proof, environment: Readonly<Record<string, string>>): Promise<Verdict> {
  const startedMs = performance.now();
  const child = spawn(process.execPath, commandOf(proof), {
    cwd: projectRoot,
    env: { ...process.env, NO_COLOR: '1', TEST_SEED: SEED, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    process.stdout.write(text);
  });
  let late = false;
  const timeoutMs = proof.minutesMax * 60_000;
  const term = setTimeout(() => {
    late = true;
    child.kill('SIGTERM');
  }, timeoutMs);
  const kill = setTimeout(() => child.kill('SIGKILL'), timeoutMs + KILL_AFTER_MS);
  const code = await new Promise<number>((resolve) => {
    child.once('error', () => resolve(1));
    child.once('close', (exit) => resolve(exit ?? 1));
  });
  clearTimeout(term);
  clearTimeout(kill);
  const text = stripVTControlCharacters(output);
  const lines = proof.countsTests ? countTests(text) : readLines(text);
  const passed = lines.length === 0 ? 'silent' : 'proved';
  const outcome = late ? 'late' : code === 0 ? passed : 'failed';
  return { proof: proof.name, outcome, seconds: Math.round((performance.now() - startedMs) / 1000), lines };
}

/** A large proof has the machine for itself. */
function commandOf(proof: Proof): readonly string[] {
  const { script, tests } = proof;
  if (script !== undefined) return script;
  const isSmall = ALL_SMALL.includes(proof);
  return [...VITEST, ...(isSmall ? [] : ['--no-file-parallelism']), ...tests];
}

function choose(only: string | undefined): readonly Proof[] {
  if (only === undefined) return PROOFS;
  const names = only.split(',');
  const unknown = names.find((name) => PROOFS.every((proof) => proof.name !== name));
  if (unknown !== undefined) throw new Error(`there is no proof "${unknown}"; --list names them`);
  return PROOFS.filter(({ name }) => names.includes(name));
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      only: { type: 'string' },
      list: { type: 'boolean', default: false },
      small: { type: 'boolean', default: false },
      json: { type: 'string' },
    },
  });
  const chosen = values.small && values.only === undefined ? ALL_SMALL : choose(values.only);
  if (values.list) {
    for (const { name, claim } of chosen) console.log(`${name.padEnd(10)} ${claim}`);
    return 0;
  }
  const startedAt = new Date().toISOString();
  console.log(`TEST_SEED=${SEED} repeats this run`);
  const verdicts: Verdict[] = [];
  for (const proof of chosen) {
    console.log(`\n▶ ${proof.name}: ${proof.claim}`);
    const isLarge = !values.small || ALL_SMALL.includes(proof);
    const verdict = await prove(proof, isLarge ? proof.environment : {});
    verdicts.push(verdict);
    console.log(`◼ ${proof.name}: ${verdict.outcome} after ${verdict.seconds} s`);
  }
  const name = `prove-${startedAt.replaceAll(':', '-')}.json`;
  const file = values.json ?? join(projectRoot, 'bench', 'results', name);
  mkdirSync(dirname(file), { recursive: true });
  const size = values.small ? 'small' : 'large';
  const machine = `${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}, Node ${process.version}`;
  writeFileSync(file, `${JSON.stringify({ startedAt, size, machine, verdicts }, null, 2)}\n`);
  console.log(`\n${tableOf(verdicts)}\n\nAll figures: ${file}`);
  return verdicts.every(({ outcome }) => outcome === 'proved') ? 0 : 1;
}

process.exitCode = await main();
