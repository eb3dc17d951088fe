/** LiteLLM's proxy from PyPI, in a virtual environment of the benchmark. */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { logTail, runCommand, startChild, stopChild, waitForAnswer } from '../child.ts';
import { MODEL_NAMES } from '../scenario.ts';
import type { Place, Preparation, StartedTarget, Target } from '../target.ts';

const VERSION = '1.106.0';
const BENCH = join(import.meta.dirname, '..');
const ENVIRONMENT = join(BENCH, '.venv');
const PROGRAM = join(ENVIRONMENT, 'bin', 'litellm');
const MASTER_KEY = 'sk-bench';

async function install(): Promise<void> {
  if (!existsSync(ENVIRONMENT)) await runCommand('python3', ['-m', 'venv', ENVIRONMENT]);
  const parameters = ['install', '--quiet', '--disable-pip-version-check', `litellm[proxy]==${VERSION}`];
  await runCommand(join(ENVIRONMENT, 'bin', 'pip'), parameters);
}

function configuration(place: Place): object {
  return {
    model_list: MODEL_NAMES.map((name) => ({
      model_name: name,
      litellm_params: {
        model: `openai/${name}`,
        api_base: `http://127.0.0.1:${place.upstreamPort}/v1`,
        api_key: 'sk-upstream',
        input_cost_per_token: 0.0000001,
        output_cost_per_token: 0.0000003,
      },
    })),
    litellm_settings: { telemetry: false, num_retries: 0 },
    general_settings: { master_key: MASTER_KEY },
  };
}

export const litellm: Target = {
  name: 'litellm',
  has: 'master key checked, cost of each call computed, one worker; no account, limit or book',
  keepsBooks: false,

  async prepare(): Promise<Preparation> {
    try {
      if (!existsSync(PROGRAM)) await install();
      return { kind: 'ready', version: VERSION };
    } catch (error) {
      return { kind: 'left-out', reason: `litellm could not be installed from PyPI: ${String(error)}` };
    }
  },

  async start(place: Place): Promise<StartedTarget> {
    const file = join(place.folder, 'config.yaml');
    // YAML reads JSON.
    writeFileSync(file, JSON.stringify(configuration(place)));
    const network = ['--host', '127.0.0.1', '--port', String(place.port), '--num_workers', '1'];
    const child = startChild(PROGRAM, ['--config', file, ...network], {
      ...place,
      environment: { LITELLM_LOG: 'ERROR', LITELLM_LOCAL_MODEL_COST_MAP: 'True' },
    });
    try {
      await waitForAnswer(
        child,
        `http://127.0.0.1:${place.port}/health/liveliness`,
        (status) => status === 200,
      );
    } catch (error) {
      await stopChild(child.process);
      throw error;
    }
    return {
      port: place.port,
      path: '/v1/chat/completions',
      headers: { authorization: `Bearer ${MASTER_KEY}` },
      rootPids: () => [child.pid],
      databaseOf: () => undefined,
      lastWords: () => logTail(child),
      stop: () => stopChild(child.process),
    };
  },
};
