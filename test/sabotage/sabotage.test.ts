import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { projectRoot } from '../house/tree.ts';
import { needs, REDIS } from '../needs.ts';
import { startProgram } from '../support/processes.ts';
import { SEED } from '../support/property-runs.ts';
import { BUGS } from './bugs.ts';
import { PLANTED } from './planted.ts';
import { namesIn } from './table.ts';

/** `npm run prove` sets it to `wide`: whole files, and the model test for every bug. */
const size = process.env.TEST_SABOTAGE;
const PATIENCE_MS = size === undefined ? 300_000 : 1_700_000;

test(
  'every planted bug is caught by its test',
  async () => {
    const environment = {
      TEST_SEED: String(SEED),
      ...(size !== undefined && { TEST_SABOTAGE: size }),
    };
    const program = startProgram(['test/sabotage/run.ts', '--json'], environment);
    const { code } = await program.exited;
    const said = /^verdicts (.*)$/m.exec(program.stdout())?.[1];
    expect(said, program.stderr()).toBeDefined();
    const verdicts = JSON.parse(said ?? '[]') as readonly {
      readonly bug: string;
      readonly outcome: string;
    }[];
    expect(verdicts.filter(({ outcome }) => outcome !== 'caught')).toEqual([]);
    expect(verdicts.map(({ bug }) => bug)).toEqual(PLANTED.map(({ name }) => name));
    expect(verdicts.length).toBeGreaterThanOrEqual(18);
    expect(code).toBe(0);
    const name = size === undefined ? 'sabotage' : `sabotage, ${size}`;
    console.log(`proof | ${name} | ${BUGS.length} planted bugs | ${verdicts.length} caught`);
  },
  PATIENCE_MS,
);

test('the bugs of the gate on Redis are planted too', needs(REDIS), () => {
  expect(PLANTED).toEqual(BUGS);
});

test('docs/ledger.md names every planted bug, and no other', () => {
  const document = readFileSync(join(projectRoot, 'docs', 'ledger.md'), 'utf8');
  expect(namesIn(document)).toEqual(BUGS.map(({ name }) => name));
});
