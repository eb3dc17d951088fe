/** `npm run agents`: real agents, each through the gateway to each upstream dialect. README.md beside it. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { stopTestServer } from '../support/postgres.ts';
import { startWorld, type World } from '../support/world.ts';
import { AGENTS, type Agent } from './agents.ts';
import { catalogFor, UPSTREAMS, type Upstream } from './catalog.ts';
import { type CellResult, KEEP_ALIVE_MS, runCell, type Scene } from './cell.ts';
import { startDoorman } from './doorman.ts';
import { isLoopbackOnly, runInLoopback } from './loopback.ts';
import { renderProblems, renderTable, renderTranscript } from './report.ts';
import { PYTHON, runSnippets } from './snippets.ts';

const FOLDER = import.meta.dirname;
const PROGRAMS = join(FOLDER, 'node_modules', '.bin');

interface Options {
  readonly agents: readonly Agent[];
  readonly upstreams: readonly Upstream[];
  readonly verbose: boolean;
  /** Where bodies of requests and answers are written, for people who look for a fault. */
  readonly bodies: string | undefined;
  /** What of the two is run. */
  readonly only: 'cells' | 'snippets' | undefined;
}

function readOptions(parameters: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...parameters],
    options: {
      agent: { type: 'string', multiple: true },
      upstream: { type: 'string', multiple: true },
      verbose: { type: 'boolean', default: false },
      bodies: { type: 'string' },
      only: { type: 'string' },
    },
  });
  const { agent, upstream, verbose, bodies, only } = values;
  const isChosen = agent !== undefined || upstream !== undefined;
  return {
    agents: AGENTS.filter(({ id }) => agent?.includes(id) ?? true),
    upstreams: UPSTREAMS.filter(({ name }) => upstream?.includes(name) ?? true),
    verbose,
    bodies,
    only: only === 'snippets' || only === 'cells' ? only : isChosen ? 'cells' : undefined,
  };
}

/** From the lock file and the list of versions, into this folder only: 900 MB that nothing else needs. */
function install(): boolean {
  const run = (command: string, parameters: readonly string[]): boolean =>
    spawnSync(command, parameters, { cwd: FOLDER, stdio: 'inherit' }).status === 0;
  const programs = [...AGENTS.map(({ program }) => program), 'opencode'];
  const isThere = programs.every((program) => existsSync(join(PROGRAMS, program)));
  if (!isThere && !run('npm', ['ci', '--no-audit', '--no-fund'])) return false;
  if (existsSync(join(PYTHON, 'installed'))) return true;
  return (
    run('python3', ['-m', 'venv', PYTHON]) &&
    run(join(PYTHON, 'bin', 'pip'), ['install', '-q', '-r', 'requirements.txt']) &&
    run('touch', [join(PYTHON, 'installed')])
  );
}

async function runAll(options: Options): Promise<readonly CellResult[]> {
  const interrupted = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interrupted.abort());
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-agents-'));
  try {
    const world = await startWorld({
      catalog: catalogFor(AGENTS.map(({ family }) => family)),
      environment: { TOLLGATE_KEEP_ALIVE_MS: String(KEEP_ALIVE_MS) },
    });
    const doorman = await startDoorman(world.url);
    try {
      const scene = { world, doorman, folder, programs: PROGRAMS, signal: interrupted.signal };
      return await runCells(scene, options);
    } finally {
      await doorman.close();
      await world.close();
      await stopTestServer();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function runCells(scene: Scene, options: Options): Promise<readonly CellResult[]> {
  const results: CellResult[] = [];
  for (const agent of options.agents) {
    for (const upstream of options.upstreams) {
      if (scene.signal.aborted) return results;
      const result = await runCell(scene, { agent, upstream });
      results.push(result);
      await show(scene.world, result, options);
    }
  }
  return results;
}

async function show(world: World, result: CellResult, { verbose, bodies }: Options): Promise<void> {
  if (verbose) console.log(`${await renderTranscript(world, result)}\n`);
  if (result.problems.length > 0) console.log(`${renderProblems(result)}\n`);
  if (bodies === undefined) return;
  await mkdir(bodies, { recursive: true });
  const name = `${result.agent.id}-${result.upstream.name}`;
  for (const [index, { request, answer }] of result.visits.entries()) {
    await writeFile(join(bodies, `${name}-${index}-request.json`), request);
    await writeFile(join(bodies, `${name}-${index}-answer.txt`), answer);
  }
  for (const [index, call] of result.truth.entries())
    await writeFile(join(bodies, `${name}-vendor-${index}.json`), world.simulator.truth.body(call) ?? '');
}

async function runMatrix(options: Options): Promise<boolean> {
  const results = await runAll(options);
  console.log(renderTable(results));
  const expected = options.agents.length * options.upstreams.length;
  return results.length === expected && results.every(({ problems }) => problems.length === 0);
}

/** What the console shows for the agents and for Python. */
async function runShown(): Promise<boolean> {
  const interrupted = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interrupted.abort());
  try {
    return await runSnippets([PROGRAMS, join(PYTHON, 'bin')], interrupted.signal);
  } finally {
    await stopTestServer();
  }
}

async function main(parameters: readonly string[]): Promise<number> {
  const options = readOptions(parameters);
  if (!install()) return 1;
  if (!isLoopbackOnly()) {
    const ended = await runInLoopback(fileURLToPath(import.meta.url), parameters);
    if (typeof ended === 'number') return ended;
    console.error(`The agents run only where nothing can leave the machine: ${ended}.`);
    return 1;
  }
  const areCellsGood = options.only === 'snippets' || (await runMatrix(options));
  const areSnippetsGood = options.only === 'cells' || (await runShown());
  return areCellsGood && areSnippetsGood ? 0 : 1;
}

process.exitCode = await main(process.argv.slice(2));
