import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { encodeWord } from '../../sim/request/directive.ts';
import type { TruthCall } from '../../sim/truth.ts';
import type { World } from '../support/world.ts';
import type { Agent } from './agents.ts';
import { modelId, type Upstream } from './catalog.ts';
import type { Doorman, Visit } from './doorman.ts';
import { judge } from './judge.ts';
import { type Ended, runProgram } from './program.ts';

/** One agent through the gateway to one upstream dialect. */
export interface Cell {
  readonly agent: Agent;
  readonly upstream: Upstream;
}

export interface CellResult extends Cell {
  /** What is wrong; nothing when the loop was closed. */
  readonly problems: readonly string[];
  readonly durationMs: number;
  readonly ended: Ended;
  readonly visits: readonly Visit[];
  /** What the simulated vendor saw of it. */
  readonly truth: readonly TruthCall[];
}

export interface Scene {
  readonly world: World;
  readonly doorman: Doorman;
  /** Of this run; each cell gets a folder in it. */
  readonly folder: string;
  /** Where the agents are installed. */
  readonly programs: string;
  /** Ends everything early. */
  readonly signal: AbortSignal;
}

const CELL_TIMEOUT_MS = 120_000;
/** In every answer the vendor is silent once, for long enough that the gateway must show that it lives. */
const SILENCE_MS = 1_000;
export const KEEP_ALIVE_MS = 300;

export async function runCell(scene: Scene, { agent, upstream }: Cell): Promise<CellResult> {
  const tag = `${agent.id}-${upstream.name}`;
  // Only the file has this word: it reaches the vendor when the tool has really run, and in no other way.
  const secret = `harbour${randomBytes(6).toString('hex')}`;
  const { home, work, file } = await furnish(join(scene.folder, tag), secret);
  const launch = await agent.prepare({
    url: scene.doorman.url,
    key: scene.world.key,
    model: modelId(agent.family, upstream),
    prompt: promptFor(agent, tag, file),
    home,
  });
  scene.doorman.take();
  const begunMs = performance.now();
  const ended = await runProgram(join(scene.programs, agent.program), launch.parameters, {
    folder: work,
    environment: { ...plainEnvironment(home), ...launch.environment },
    signal: AbortSignal.any([scene.signal, AbortSignal.timeout(CELL_TIMEOUT_MS)]),
  });
  const durationMs = performance.now() - begunMs;
  await scene.world.settled();
  const recorded = scene.world.simulator.truth;
  const truth = recorded.list(tag);
  const visits = scene.doorman.take();
  const problems = judge({
    ended,
    secret,
    visits,
    truth,
    tool: agent.tool,
    bodyOf: (call) => recorded.body(call),
  });
  return { agent, upstream, problems, durationMs, ended, truth, visits };
}

async function furnish(folder: string, secret: string) {
  const home = join(folder, 'home');
  const work = join(folder, 'work');
  await mkdir(home, { recursive: true });
  await mkdir(work, { recursive: true });
  const file = join(work, 'note.txt');
  await writeFile(file, `The word is ${secret}.\n`);
  return { home, work, file };
}

/** The directive travels in the prompt, through agent and gateway, and tells the vendor what to call. */
function promptFor({ tool, toolArguments }: Agent, tag: string, file: string): string {
  const args = encodeWord(toolArguments(file));
  const pause = `fault=pause@1:${SILENCE_MS}`;
  return `Which word is in note.txt? [[sim tag=${tag} thinking=20 ${pause} tool=${tool} args=${args}]]`;
}

/** Nothing of ours but the programs: an agent must not find a proxy, a key or a setting of this machine. */
function plainEnvironment(home: string): Record<string, string> {
  return { HOME: home, LANG: 'C.UTF-8', NO_COLOR: '1', PATH: process.env.PATH ?? '', TMPDIR: home };
}
