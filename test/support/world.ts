import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Simulator, startSimulator } from '../../sim/server.ts';
import { startTollgate, type Tollgate } from '../../src/app.ts';
import type { Config } from '../../src/config.ts';
import { type Logger, silentLogger } from '../../src/kernel/log.ts';
import { systemRandom } from '../../src/kernel/random.ts';
import { findLogin } from '../../src/store/accounts/accounts.ts';
import { createKey } from '../../src/store/accounts/api-keys.ts';
import { announceAndWait } from '../../src/store/changes.ts';
import type { Database } from '../../src/store/database.ts';
import { type Api, createApi, loginWith } from './api.ts';
import { applyCheaply } from './catalog-apply.ts';
import { configOf } from './config.ts';
import { type FreshDatabase, freshDatabase } from './postgres.ts';
import { until } from './processes.ts';

/**
 * The whole thing in one process: strict vendors, a real database, Tollgate on a free port, an account, a
 * key.
 */
export interface World {
  readonly simulator: Simulator;
  readonly tollgate: Tollgate;
  readonly database: Database;
  readonly config: Config;
  /** `http://127.0.0.1:12345` */
  readonly url: string;
  /** What `/metrics` shows. */
  figures(): Promise<string>;
  /** Of user@example.com: 50 000 Credits, personal verification, default policy. */
  readonly key: string;
  newKey(
    email: string,
    options?: { readonly policyId?: number; readonly expiresAtMs?: number },
  ): Promise<string>;
  /** `Authorization` and JSON, with `key` or another one. */
  headers(key?: string): Record<string, string>;
  /** POST a JSON body (or raw text) to a path of the gateway. */
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Response>;
  /** A request of the platform; a path that does not begin with `/api/` stands below the user's. */
  readonly api: Api;
  /** The access token of an account of the catalogue. */
  login(email: string, password?: string): Promise<string>;
  /** Waits until every ended call is in the store. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

export interface WorldOptions {
  /** Replaces the catalogue; `${SIM}` in it is the simulator's address. */
  readonly catalog?: string;
  /** Appended to the standard catalogue's lists. */
  readonly environment?: Record<string, string>;
  /** The same, from the connection to the world's own database. */
  readonly environmentOf?: (connection: string) => Promise<Record<string, string>>;
  /** The same, from what the simulator of the world gives its customers. */
  readonly environmentFrom?: (simulator: Simulator) => Record<string, string>;
  readonly log?: Logger;
}

export async function startWorld(options: WorldOptions = {}): Promise<World> {
  const simulator = await startSimulator();
  const fresh = await freshDatabase();
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-world-'));
  const catalogFile = join(folder, 'catalog.yaml');
  const catalog = options.catalog ?? STANDARD_CATALOG;
  await writeFile(catalogFile, catalog);
  const config = configOf({
    TOLLGATE_HOST: '127.0.0.1',
    TOLLGATE_PORT: '0',
    TOLLGATE_DATA: join(folder, 'data'),
    TOLLGATE_CATALOG: catalogFile,
    DATABASE_URL: fresh.connection,
    // The catalogue takes the vendors' address from the environment, as any catalogue file may.
    SIM: simulator.url,
    ...options.environment,
    ...(await options.environmentOf?.(fresh.connection)),
    ...options.environmentFrom?.(simulator),
  });
  await applyCheaply(fresh.database, config, catalog);
  const tollgate = await startTollgate(config, options.log ?? silentLogger);
  return assembleWorld({ simulator, fresh, folder, config, tollgate });
}

interface Parts {
  readonly simulator: Simulator;
  readonly fresh: FreshDatabase;
  readonly folder: string;
  readonly config: Config;
  readonly tollgate: Tollgate;
}

async function assembleWorld({ simulator, fresh, folder, config, tollgate }: Parts): Promise<World> {
  const { database } = fresh;
  const { url, opsUrl } = tollgate;
  const figures = async (): Promise<string> => (await fetch(`${opsUrl}/metrics`)).text();
  const newKey: World['newKey'] = async (email, wanted = {}) => {
    const login = await findLogin(database, email);
    if (login === undefined) throw new Error(`no account ${email}`);
    const { policyId, expiresAtMs } = wanted;
    const created = await createKey(
      database,
      { accountId: login.accountId, name: 'test', policyId, expiresAtMs, status: 'enabled' },
      systemRandom,
    );
    if (created.kind !== 'created') throw new Error(created.kind);
    await announceAndWait(database);
    return created.text;
  };
  const key = await newKey('user@example.com');
  const api = createApi(url);
  const headers = (own = key) => ({ authorization: `Bearer ${own}`, 'content-type': 'application/json' });
  return {
    simulator,
    tollgate,
    database,
    config,
    url,
    key,
    newKey,
    headers,
    post: (path, body, extra) =>
      fetch(url + path, {
        method: 'POST',
        headers: { ...headers(), ...extra },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    api,
    login: (email, password) => loginWith(api, email, password),
    figures,
    settled: () => until(() => isSettled(tollgate.metrics())),
    close: async () => {
      await tollgate.stop();
      await simulator.close();
      await fresh.drop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The journal's lag is what the server itself says of calls not yet in the store. */
function isSettled(figures: string): boolean {
  return /^tollgate_active_calls 0$/m.test(figures) && /^tollgate_journal_lag_calls 0$/m.test(figures);
}

export const STANDARD_CATALOG = `
defaults: { policy: 1, user_rate: 100, api_billing: true, auto_exchange: false }
vendors:
  - { code: openai, name: OpenAI, icon: openai, protocols: [chat, responses, images, embeddings], base_url: "\${SIM}/v1", byok: true }
  - { code: anthropic, name: Anthropic, icon: anthropic, protocols: [messages], base_url: "\${SIM}", byok: true }
  - { code: google, name: Google, icon: google, protocols: [gemini], base_url: "\${SIM}", byok: true }
credentials:
  - { name: openai-main, vendor: openai, secret: sk-sim-openai }
  - { name: anthropic-main, vendor: anthropic, secret: sk-sim-anthropic }
  - { name: google-main, vendor: google, secret: sk-sim-google }
models:
  - model_id: gpt-5
    name: GPT-5
    support_features: [text, image]
    prices: { input: "10", output: "30", cache_input: "1", cache_output: "30", cache_write: "12.5" }
    max_output_tokens: 128000
    routes: [{ vendor: openai, credential: openai-main, forward_model_id: gpt-5-2026-08-01, protocols: [responses, chat] }]
  - model_id: claude-sonnet-5
    name: Claude Sonnet 5
    prices: { input: "20", output: "100", cache_input: "2", cache_write: "25" }
    max_output_tokens: 64000
    routes: [{ vendor: anthropic, credential: anthropic-main, forward_model_id: claude-sonnet-5 }]
  - model_id: gemini-3-pro
    name: Gemini 3 Pro
    prices: { input: "8", output: "60", cache_input: "1" }
    max_output_tokens: 65536
    routes: [{ vendor: google, credential: google-main, forward_model_id: gemini-3-pro }]
  - model_id: gpt-image-1
    name: GPT Image 1
    support_features: [image]
    prices: { image: "0.3" }
    routes: [{ vendor: openai, credential: openai-main, forward_model_id: gpt-image-1, protocols: [images] }]
  - model_id: text-embedding-3-small
    name: Text Embedding 3 small
    prices: { input: "10" }
    routes: [{ vendor: openai, credential: openai-main, protocols: [embeddings] }]
  - model_id: verified-only
    name: For verified accounts
    restriction: { kind: verification, level: 2 }
    prices: { input: "10", output: "30" }
    routes: [{ vendor: openai, credential: openai-main, forward_model_id: gpt-4o, protocols: [chat] }]
  - model_id: plan-only
    name: For subscribers
    restriction: { kind: plan, level: 2 }
    prices: { input: "10", output: "30" }
    routes: [{ vendor: openai, credential: openai-main, forward_model_id: gpt-4o, protocols: [chat] }]
policies:
  - { id: 1, name: default, concurrency: 500, windows: [{ dimension: requests, seconds: 60, limit: 100000 }] }
  - { id: 2, name: one-at-a-time, concurrency: 1, windows: [] }
  - { id: 3, name: two-a-minute, concurrency: 50, windows: [{ dimension: requests, seconds: 60, limit: 2 }] }
  - { id: 4, name: few-tokens, concurrency: 50, windows: [{ dimension: tokens, seconds: 3600, limit: 20 }] }
  - { id: 5, name: one-image-a-day, concurrency: 50, windows: [{ dimension: images, seconds: 86400, limit: 1 }] }
accounts:
  - { email: user@example.com, password: "a test password", user_type: 1, balance: "100", credits: "50000" }
  - { email: poor@example.com, password: "a test password", user_type: 0, credits: "3" }
  - { email: empty@example.com, password: "a test password", user_type: 0 }
  - { email: operator@example.com, password: "a test password", role: operator }
`;
