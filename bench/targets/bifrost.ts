/** Bifrost with a virtual key, its budget, and its log in SQLite. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { logTail, stopChild } from '../child.ts';
import { MODEL_NAMES } from '../scenario.ts';
import type { Place, StartedTarget, Target } from '../target.ts';
import { type Built, prepareBuilt, startBuilt } from './built.ts';
import { countRows } from './sqlite.ts';

const BUILT: Built = { variable: 'BENCH_BIFROST', program: 'bifrost-http', versionFlags: ['-version'] };
/** Its lists of prices and models, which it would load from the network. */
const PRICES = 'prices.json';
const MODELS = 'models.json';
const VIRTUAL_KEY = 'sk-bf-bench';

function prices(): object {
  const price = { provider: 'openai', mode: 'chat', input_cost_per_token: 1e-6, output_cost_per_token: 2e-6 };
  return Object.fromEntries(MODEL_NAMES.map((name) => [`openai/${name}`, price]));
}

function configuration(place: Place): object {
  const file = (name: string): string => pathToFileURL(join(place.folder, name)).href;
  const store = (name: string): object => ({
    enabled: true,
    type: 'sqlite',
    config: { path: join(place.folder, name) },
  });
  return {
    client: {
      drop_excess_requests: false,
      initial_pool_size: 1_000,
      enable_logging: true,
      disable_content_logging: true,
      enforce_auth_on_inference: true,
      max_request_body_size_mb: 100,
    },
    providers: {
      openai: {
        keys: [{ id: 'bench', name: 'bench', value: 'sk-upstream', models: ['*'], weight: 1 }],
        network_config: { base_url: `http://127.0.0.1:${place.upstreamPort}`, max_retries: 0 },
        concurrency_and_buffer_size: { concurrency: 6_000, buffer_size: 20_000 },
      },
    },
    governance: {
      budgets: [{ id: 'bench', max_limit: 1_000_000_000, reset_duration: '1M', virtual_key_id: 'bench' }],
      virtual_keys: [
        {
          id: 'bench',
          name: 'bench',
          value: VIRTUAL_KEY,
          is_active: true,
          provider_configs: [{ provider: 'openai', weight: 1, allowed_models: ['*'], key_ids: ['*'] }],
        },
      ],
    },
    framework: {
      pricing: {
        pricing_url: file(PRICES),
        model_parameters_url: file(MODELS),
        mcp_library_sync_interval: 0,
      },
    },
    config_store: store('config.db'),
    logs_store: store('logs.db'),
  };
}

export const bifrost: Target = {
  name: 'bifrost',
  has: 'virtual key, budget and log of each call without its content, in SQLite',
  keepsBooks: true,
  prepare: () => prepareBuilt(BUILT),

  async start(place: Place): Promise<StartedTarget> {
    writeFileSync(join(place.folder, PRICES), JSON.stringify(prices()));
    writeFileSync(join(place.folder, MODELS), '{}');
    writeFileSync(join(place.folder, 'config.json'), JSON.stringify(configuration(place)));
    const network = ['-host', '127.0.0.1', '-port', String(place.port)];
    const child = await startBuilt(BUILT, place, {
      parameters: ['-app-dir', place.folder, ...network, '-log-level', 'error'],
      environment: {},
      readyPath: '/health',
    });
    return {
      port: place.port,
      // Below this path models need no name of their vendor.
      path: '/openai/v1/chat/completions',
      headers: { authorization: `Bearer ${VIRTUAL_KEY}` },
      // It joins events around the text: two instead of four.
      eventsAround: 2,
      rootPids: () => [child.pid],
      databaseOf: () => undefined,
      settledCalls: async () => countRows(join(place.folder, 'logs.db'), 'logs'),
      lastWords: () => logTail(child),
      stop: () => stopChild(child.process),
    };
  },
};
