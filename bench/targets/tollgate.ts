/** Tollgate with everything on: keys, limits, holds, journal, charges, logs, and its own database. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type Child,
  findFreePort,
  logTail,
  runCommand,
  startChild,
  stopChild,
  waitForAnswer,
} from '../child.ts';
import { DIALECT_NAMES } from '../convert/dialect.ts';
import { MODEL_NAMES } from '../scenario.ts';
import type { Place, Preparation, StartedTarget, Target } from '../target.ts';

const ENTRY = join(import.meta.dirname, '../../src/main.ts');
const ACCOUNT = 'bench@example.com';

/** Every limit that a policy and a credential can have, so wide that none refuses but all are counted. */
function catalogue(place: Place): object {
  return {
    system_rate: 100,
    defaults: { policy: 1, user_rate: 100, api_billing: true },
    vendors: [
      {
        code: 'openai',
        name: 'OpenAI',
        protocols: ['chat', 'responses', 'images'],
        base_url: `http://127.0.0.1:${place.upstreamPort}/v1`,
      },
      // Each speaks one protocol only, so that clients of the others are converted.
      ...DIALECT_NAMES.map((dialect) => ({
        code: `only-${dialect}`,
        protocols: [dialect],
        base_url: `http://127.0.0.1:${place.upstreamPort}/pairs`,
      })),
    ],
    credentials: ['openai', ...DIALECT_NAMES.map((dialect) => `only-${dialect}`)].map((vendor) => ({
      name: `bench-${vendor}`,
      vendor,
      secret: 'sk-bench',
      limits: { concurrency: 5_000, rpm: 100_000_000, tpm: 2_000_000_000 },
    })),
    // The vendor's name of a model differs from ours, as it does in real catalogues: the body is rewritten.
    models: [
      ...MODEL_NAMES.map((name) => modelOf(name, 'openai')),
      ...DIALECT_NAMES.map((dialect) => modelOf(`bench-over-${dialect}`, `only-${dialect}`)),
    ],
    policies: [
      {
        id: 1,
        name: 'bench',
        concurrency: 5_000,
        windows: [
          { dimension: 'requests', seconds: 60, limit: 100_000_000 },
          { dimension: 'tokens', seconds: 60, limit: 1_000_000_000 },
          { dimension: 'requests', seconds: 86_400, limit: 1_000_000_000 },
          { dimension: 'amount', seconds: 18_000, limit: '1000000000' },
        ],
      },
    ],
    accounts: [{ email: ACCOUNT, password: 'only-for-the-benchmark', credits: '1000000000' }],
  };
}

function modelOf(name: string, vendor: string): object {
  return {
    model_id: name,
    prices: { input: '0.1', output: '0.3', cache_input: '0.01' },
    context_window: 2_000_000,
    max_output_tokens: 4096,
    routes: [{ vendor, credential: `bench-${vendor}`, forward_model_id: `${name}-2026-01-01` }],
  };
}

/** The embedded server may be started so that it is not our descendant: its own file tells its number. */
function postmasterPid(dataFolder: string): number | undefined {
  const file = join(dataFolder, 'postgres', 'postmaster.pid');
  if (!existsSync(file)) return undefined;
  return Number(readFileSync(file, 'utf8').split('\n')[0]);
}

/** What the server says of itself: the calls that are charged, logged and committed. */
async function readSettled(opsPort: number): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${opsPort}/metrics`, { signal: AbortSignal.timeout(5000) });
  const text = await response.text();
  const values = [...text.matchAll(/^tollgate_calls_settled_total(?:\{[^}]*\})? (\S+)$/gm)];
  return values.reduce((sum, match) => sum + Number(match[1]), 0);
}

async function createKey(environment: Readonly<Record<string, string>>): Promise<string> {
  const parameters = [ENTRY, 'key', 'create', '--account', ACCOUNT, '--name', 'bench', '--json'];
  const printed = await runCommand(process.execPath, parameters, { environment });
  const key = /"api_key":\s*"([^"]+)"/.exec(printed)?.[1];
  if (key === undefined) throw new Error('`key create --json` printed no api_key');
  return key;
}

async function stop(child: Child, dataFolder: string): Promise<void> {
  await stopChild(child.process);
  const pid = postmasterPid(dataFolder);
  if (pid === undefined) return;
  try {
    // SIGINT is PostgreSQL's fast shutdown.
    process.kill(pid, 'SIGINT');
  } catch {
    // It had ended already and only its file was left.
  }
}

export const tollgate: Target = {
  name: 'tollgate',

  async prepare(): Promise<Preparation> {
    if (!existsSync(ENTRY)) return { kind: 'left-out', reason: 'src/main.ts does not exist' };
    const printed = await runCommand(process.execPath, [ENTRY, '--version']).catch((error) => String(error));
    if (!/^\S+\n$/.test(printed)) return { kind: 'left-out', reason: printed };
    return { kind: 'ready', version: `${printed.trim()}, this tree` };
  },

  async start(place: Place): Promise<StartedTarget> {
    const opsPort = await findFreePort();
    const file = join(place.folder, 'catalog.yaml');
    const dataFolder = join(place.folder, 'data');
    // YAML reads JSON.
    writeFileSync(file, JSON.stringify(catalogue(place), null, 2));
    const environment = {
      TOLLGATE_HOST: '127.0.0.1',
      TOLLGATE_PORT: String(place.port),
      TOLLGATE_OPS_PORT: String(opsPort),
      TOLLGATE_DATA: dataFolder,
      TOLLGATE_CATALOG: file,
    };
    const url = `http://127.0.0.1:${place.port}`;
    // Extra flags for Node, such as --cpu-prof, when somebody wants to look inside.
    const flags = (process.env.BENCH_TOLLGATE_FLAGS ?? '').split(' ').filter((flag) => flag !== '');
    const child = startChild(process.execPath, [...flags, ENTRY, 'serve'], {
      folder: place.folder,
      environment,
    });
    try {
      await waitForAnswer(child, `${url}/readyz`, (status) => status === 200);
      const key = await createKey(environment);
      return {
        port: place.port,
        path: '/v1/chat/completions',
        headers: { authorization: `Bearer ${key}` },
        rootPids: () => [child.pid, postmasterPid(dataFolder) ?? child.pid],
        isDatabase: (stat) => stat.name.startsWith('postgres'),
        settledCalls: () => readSettled(opsPort),
        lastWords: () => logTail(child),
        stop: () => stop(child, dataFolder),
      };
    } catch (error) {
      const words = `${error instanceof Error ? error.message : error}; ${logTail(child)}`;
      await stop(child, dataFolder);
      throw new Error(words);
    }
  },
};
