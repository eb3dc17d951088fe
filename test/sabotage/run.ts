/**
 * Plants every bug of bugs.ts, one at a time and only in memory, and runs the test that must see it.
 * `--write` puts the result into docs/ledger.md, `--json` prints it. Further arguments pick bugs by name.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestModule, TestProject, TestSpecification } from 'vitest/node';
import { createVitest } from 'vitest/node';
import { projectRoot } from '../house/tree.ts';
import type { Bug } from './bug.ts';
import { BUGS } from './bugs.ts';
import { PLANTED } from './planted.ts';
import { writeTable } from './table.ts';

export interface Verdict {
  readonly bug: string;
  /** `caught`, or why not. */
  readonly outcome: string;
  /** The first sentence that failed. */
  readonly by: string;
}

/** Wide: `npm run prove` runs whole files, and the model test beside them. */
const WIDE = process.env.TEST_SABOTAGE === 'wide';
const MODEL = 'test/model/model.test.ts';

const pathOf = (file: string): string => join(projectRoot, file);

/** A text that is no longer there, or there twice, is a plant that proves nothing. */
function checkPlant({ name, file, text }: Bug): void {
  const count = readFileSync(pathOf(file), 'utf8').split(text).length - 1;
  if (count !== 1) throw new Error(`${name}: ${file} holds the text ${count} times, not once:\n${text}`);
}

/** Scripts of Redis are read as files, so they are changed where they are read. */
const LUA_READER = 'src/gate/redis/script.ts';
const LUA_READ = "return readFileSync(new URL(name, import.meta.url), 'utf8');";

function plant({ name, file, text, instead }: Bug) {
  return {
    name: `plant: ${name}`,
    enforce: 'pre' as const,
    transform(code: string, id: string): string | undefined {
      const path = id.split('?')[0];
      if (path === pathOf(file)) return code.replace(text, () => instead);
      if (!file.endsWith('.lua') || path !== pathOf(LUA_READER)) return undefined;
      if (!code.includes(LUA_READ)) throw new Error(`${LUA_READER} reads its scripts in another way now`);
      const [before, after] = [JSON.stringify(text), JSON.stringify(instead)];
      return code.replace(LUA_READ, () => `${LUA_READ.slice(0, -1)}.replace(${before}, () => ${after});`);
    },
  };
}

const projectName = (index: number): string => `bug-${index}`;

async function runAll(bugs: readonly Bug[]): Promise<readonly Verdict[]> {
  for (const bug of bugs) checkPlant(bug);
  const vitest = await createVitest('test', {
    root: projectRoot,
    config: false,
    watch: false,
    // What is planted must neither be kept nor come from what was kept.
    fsModuleCache: false,
    reporters: [{}],
    maxWorkers: 2,
    projects: bugs.map((bug, index) => ({
      root: projectRoot,
      plugins: [plant(bug)],
      test: {
        name: projectName(index),
        fsModuleCache: false,
        // Each has its own database server, which a bug may spoil, and ends it.
        setupFiles: ['test/support/suite/own-folder.ts', 'test/support/suite/properties.ts'],
        testTimeout: 60_000,
        hookTimeout: 60_000,
        env: { TEST_MODEL_RUNS: WIDE ? '500' : '200', TEST_MODEL_QUICK: '1' },
      },
    })),
  });
  try {
    const specifications = bugs.flatMap((bug, index) => {
      const project = vitest.projects.find(({ name }) => name === projectName(index));
      return project === undefined ? [] : specificationsOf(bug, project);
    });
    const { testModules } = await vitest.runTestSpecifications(specifications, false);
    return bugs.map((bug, index) =>
      judge(
        bug,
        testModules.filter(({ project }) => project.name === projectName(index)),
      ),
    );
  } finally {
    await vitest.close();
  }
}

function specificationsOf({ catcher }: Bug, project: TestProject): readonly TestSpecification[] {
  const pattern = catcher.name?.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const narrow = pattern === undefined || WIDE ? {} : { testNamePattern: new RegExp(pattern) };
  const own = project.createSpecification(pathOf(catcher.file), narrow);
  if (!WIDE || catcher.file === MODEL) return [own];
  return [own, project.createSpecification(pathOf(MODEL), { testNamePattern: /in memory/ })];
}

/** Only a test that ran and failed has seen the bug: a file that does not load proves nothing. */
function judge(bug: Bug, modules: readonly TestModule[]): Verdict {
  const verdict = (outcome: string, by = ''): Verdict => ({ bug: bug.name, outcome, by });
  const tests = modules.flatMap((module) => [...module.children.allTests()]);
  const failed = tests.find((test) => test.result().state === 'failed');
  if (failed !== undefined) return verdict('caught', failed.name);
  const [broken] = modules.flatMap((module) => module.errors());
  if (broken !== undefined) return verdict(`does not load: ${broken.message}`);
  const ran = tests.some((test) => test.result().state === 'passed');
  return verdict(ran ? 'NOT CAUGHT' : `no test "${bug.catcher.name ?? ''}" in ${bug.catcher.file}`);
}

async function main(options: readonly string[]): Promise<number> {
  const words = options.filter((option) => !option.startsWith('--'));
  const wanted = PLANTED.filter(
    ({ name }) => words.length === 0 || words.some((word) => name.includes(word)),
  );
  const verdicts = await runAll(wanted);
  const missed = verdicts.filter(({ outcome }) => outcome !== 'caught');
  if (options.includes('--json')) console.log(`verdicts ${JSON.stringify(verdicts)}`);
  for (const { bug, outcome } of missed) console.error(`${bug}: ${outcome}`);
  console.log(`${verdicts.length - missed.length} of ${verdicts.length} planted bugs caught`);
  if (options.includes('--write') && missed.length === 0 && wanted.length === BUGS.length) {
    const path = pathOf('docs/ledger.md');
    writeFileSync(path, writeTable(readFileSync(path, 'utf8'), verdicts));
  }
  return missed.length === 0 ? 0 : 1;
}

process.exitCode = await main(process.argv.slice(2));
