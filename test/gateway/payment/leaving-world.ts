import { request } from 'node:http';
import { expect } from 'vitest';
import type { TruthCall } from '../../../sim/truth.ts';
import { systemRandom } from '../../../src/kernel/random.ts';
import { findLogin } from '../../../src/store/accounts/accounts.ts';
import { createKey } from '../../../src/store/accounts/api-keys.ts';
import { until } from '../../support/processes.ts';
import { STANDARD_CATALOG, startWorld, type World } from '../../support/world.ts';
import type { LoggedCall } from '../logged-call.ts';

/** The longest answer that any of these calls may have. */
export const OUTPUT_MAX = 3_000;
export const THOUGHTS = 1_000;
export const WORDS = 4;
/** Longer than any client here waits, and longer than the gateway reads on. */
export const HELD_MS = 20_000;

/** Every client with every vendor: the model says which vendor it is. */
export const MODELS = ['gpt-chat', 'gpt-responses', 'claude', 'gemini'] as const;
export type ModelName = (typeof MODELS)[number];

const CATALOG = STANDARD_CATALOG.replace(
  'models:\n',
  `models:
  - { model_id: gpt-chat, prices: { input: "100", output: "1000" }, max_output_tokens: ${OUTPUT_MAX}, routes: [{ vendor: openai, credential: openai-main, forward_model_id: gpt-5, protocols: [chat] }] }
  - { model_id: gpt-responses, prices: { input: "100", output: "1000" }, max_output_tokens: ${OUTPUT_MAX}, routes: [{ vendor: openai, credential: openai-main, forward_model_id: gpt-5, protocols: [responses] }] }
  - { model_id: claude, prices: { input: "100", output: "1000" }, max_output_tokens: ${OUTPUT_MAX}, routes: [{ vendor: anthropic, credential: anthropic-main, forward_model_id: claude-sonnet-5 }] }
  - { model_id: gemini, prices: { input: "100", output: "1000" }, max_output_tokens: ${OUTPUT_MAX}, routes: [{ vendor: google, credential: google-main, forward_model_id: gemini-3-pro }] }
  - { model_id: painter, prices: { input: "100", image: "0.3" }, routes: [{ vendor: openai, credential: openai-main, forward_model_id: gpt-image-1, protocols: [images] }] }
  - { model_id: no-thinker, prices: { input: "100", output: "1000" }, max_output_tokens: ${OUTPUT_MAX}, routes: [{ vendor: openai, credential: openai-main, forward_model_id: gpt-4o, protocols: [chat] }] }
  - { model_id: endless, prices: { input: "100", output: "1000" }, max_output_tokens: 128000, routes: [{ vendor: openai, credential: openai-main, forward_model_id: gpt-5, protocols: [responses] }] }
  - { model_id: unknown, prices: { input: "100", output: "1000" }, max_output_tokens: ${OUTPUT_MAX}, routes: [{ vendor: anthropic, credential: anthropic-main, forward_model_id: claude-sonnet-5, capabilities: { thinking: none, thinks_by_default: false } }] }
  - { model_id: switchable, prices: { input: "100", output: "1000" }, max_output_tokens: ${OUTPUT_MAX}, routes: [{ vendor: openai, credential: openai-main, forward_model_id: gpt-5.6, protocols: [chat] }] }
`,
)
  .replace('credits: "50000"', 'credits: "50000000"')
  .concat('  - { email: byok@example.com, password: "a test password", credits: "50000" }\n');

/** Every model has answered once with reasoning: from now on it is known to reason. */
export async function startLeavingWorld(): Promise<World> {
  const world = await startWorld({ catalog: CATALOG });
  await Promise.all(
    MODELS.map(async (model) => {
      const content = `[[sim thinking=100 thinkms=300 tokens=${WORDS}]]`;
      const body = { model, stream: true, messages: [{ role: 'user', content }] };
      const answer = await world.post('/v1/chat/completions', body);
      await answer.arrayBuffer();
      expect(answer.status).toBe(200);
    }),
  );
  return world;
}

export type Json = Record<string, unknown>;

interface Client {
  path(model: string): string;
  body(model: string, prompt: string): Json;
}

export const CLIENTS: Readonly<Record<string, Client>> = {
  chat: {
    path: () => '/v1/chat/completions',
    body: (model, content) => ({ model, stream: true, messages: [{ role: 'user', content }] }),
  },
  responses: {
    path: () => '/v1/responses',
    body: (model, input) => ({ model, stream: true, input }),
  },
  messages: {
    path: () => '/v1/messages',
    body: (model, content) => ({
      model,
      stream: true,
      max_tokens: OUTPUT_MAX,
      messages: [{ role: 'user', content }],
    }),
  },
  gemini: {
    path: (model) => `/v1beta/models/${model}:streamGenerateContent?alt=sse`,
    body: (_model, text) => ({ contents: [{ role: 'user', parts: [{ text }] }] }),
  },
};

export interface Left {
  readonly row: LoggedCall;
  readonly truth: TruthCall;
}

let calls = 0;

export interface Call {
  readonly path: string;
  readonly body: (prompt: string) => Json;
  readonly directive: string;
  /** When the client goes: by what it has got, or by what the vendor has done. */
  readonly when: (seen: string, truth: TruthCall | undefined) => boolean;
  /** Of another account than the usual one. */
  readonly email?: string;
}

const LEAVE_TRIES = 5;

/** A busy machine may be late: a client that got the whole answer before it left tries again. */
export async function leave(world: World, call: Call): Promise<Left> {
  for (let tries = 1; ; tries++) {
    const left = await leaveOnce(world, call);
    if (left.row.verdict !== 'complete' || tries === LEAVE_TRIES) return left;
  }
}

/** Calls, leaves when it is time, and finds the call's row and truth. */
async function leaveOnce(
  world: World,
  { path, body, directive, when, email = 'user@example.com' }: Call,
): Promise<Left> {
  const tag = `left-${++calls}`;
  const key = await keyNamed(world, tag, email);
  const outgoing = request(world.url + path, {
    method: 'POST',
    agent: false,
    headers: { ...world.headers(key), 'anthropic-version': '2023-06-01' },
  });
  outgoing.on('error', () => {});
  let seen = '';
  outgoing.on('response', (incoming) => {
    incoming.on('data', (chunk: Buffer) => {
      seen += chunk.toString('latin1');
    });
    incoming.on('error', () => {});
  });
  outgoing.end(JSON.stringify(body(`some words for a prompt [[sim tag=${tag} ${directive}]]`)));
  await until(() => when(seen, world.simulator.truth.find(tag)));
  outgoing.destroy();
  let row: LoggedCall | undefined;
  await until(async () => {
    [row] = await world.database.query<LoggedCall>('select * from calls where key_name = $1', [tag]);
    return row !== undefined;
  });
  const truth = world.simulator.truth.find(tag);
  if (row === undefined || truth === undefined) throw new Error('the call left no trace');
  return { row, truth };
}

/** Calls run side by side: each is known by the name of its key. */
async function keyNamed(world: World, name: string, email: string): Promise<string> {
  const login = await findLogin(world.database, email);
  const terms = { policyId: undefined, expiresAtMs: undefined, status: 'enabled' } as const;
  const accountId = login?.accountId ?? 0;
  const created = await createKey(world.database, { accountId, name, ...terms }, systemRandom);
  if (created.kind !== 'created') throw new Error(created.kind);
  return created.text;
}

export const asStream = (client: string, model: string): Pick<Call, 'path' | 'body'> => ({
  path: CLIENTS[client]?.path(model) ?? '',
  body: (prompt) => CLIENTS[client]?.body(model, prompt) ?? {},
});

export const outputOf = (row: LoggedCall): number => Number(row.output_text) + Number(row.output_reasoning);
