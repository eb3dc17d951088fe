import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Simulator, startSimulator } from '../../sim/server.ts';
import type { TruthCall } from '../../sim/truth.ts';
import type { Preset } from '../../src/catalog/presets/preset.ts';
import { vendorPresets } from '../../src/catalog/presets/presets.ts';
import { paidCredits } from '../gateway/logged-call.ts';
import { type Commands, commandsWith } from '../support/commands.ts';
import { startWorld, type World } from '../support/world.ts';

/** Only accounts and policies: every vendor is added by the command. */
const EMPTY = `
defaults: { policy: 1, user_rate: 100, api_billing: true, auto_exchange: false }
policies: [{ id: 1, name: default, concurrency: 500, windows: [] }]
accounts:
  - { email: user@example.com, password: "a test password", user_type: 1, credits: "50000" }
  - { email: operator@example.com, password: "a test password", role: operator }
`;
const RATE = '7.2';
const MARGIN = '1.1';
/** Long enough to be charged at any price. */
const TOKENS = 2_500;
/** The simulators know these of the vendors that have a protocol of their own. */
const OF_SIMULATOR: Readonly<Record<string, string>> = {
  ...{ openai: 'gpt-4o', anthropic: 'claude-opus-5', google: 'gemini-2.5-flash' },
};

let world: World;
let folder: string;
let commands: Commands;
beforeAll(async () => {
  world = await startWorld({ catalog: EMPTY });
  folder = await mkdtemp(join(tmpdir(), 'tollgate-presets-'));
  const { TOLLGATE_DATA = '', DATABASE_URL = '' } = world.config.environment;
  const keys = {
    KEY_OPENAI: 'sk-sim-openai',
    KEY_ANTHROPIC: 'sk-sim-anthropic',
    KEY_GOOGLE: 'sk-sim-google',
  };
  commands = await commandsWith({ TOLLGATE_DATA, DATABASE_URL, ...keys }, folder);
});
afterAll(async () => {
  await world?.close();
  await rm(folder, { recursive: true, force: true });
});

function priceMicro(figure: string | undefined): bigint {
  // List price × 7.2 × 1.1, rounded up at six decimals, by hand: the figures have at most six decimals.
  const [whole = '0', fraction = ''] = (figure ?? '0').split('.');
  const micro = BigInt(whole + fraction.padEnd(6, '0'));
  return (micro * 72n * 11n + 99n) / 100n;
}

interface Sold {
  readonly model: string;
  readonly input: bigint;
  readonly output: bigint;
}

/** A model of the preset with a price, or one with a price of our own. */
function choose({ code, models }: Preset): Sold & { readonly options: readonly string[] } {
  const known = models.find(({ id }) => id === OF_SIMULATOR[code]) ?? models.find(({ prices }) => prices);
  if (known?.prices === undefined) {
    const model = models.at(-1)?.id ?? `${code}-model`;
    const options = ['--models', model, '--price', `${model}=3/12.5`];
    return { model, input: 3_000_000n, output: 12_500_000n, options };
  }
  const { currency, amounts } = known.prices;
  const rated = (figure: string | undefined) =>
    currency === 'USD' ? priceMicro(figure) : (priceMicro(figure) * 10n + 71n) / 72n;
  const options = ['--models', known.id, '--rate', RATE, '--margin', MARGIN];
  return { model: known.id, input: rated(amounts.input), output: rated(amounts.output), options };
}

/** Micro-Credits: one exact product, cut at six decimals of a yuan. */
function charge({ input, output }: Sold, truth: TruthCall): bigint {
  return ((BigInt(truth.inputTokens) * input + BigInt(truth.outputTokens) * output) / 1_000_000n) * 1_000n;
}

function simulate({ quirks, code }: Preset, model: string): Promise<Simulator> {
  if (OF_SIMULATOR[code] !== undefined) return startSimulator();
  return startSimulator({ compatible: { ...quirks, models: [model] } });
}

/** Clouds are tried in cloud-presets.test.ts, with what they need beside a key. */
describe.each(vendorPresets().filter(({ cloud }) => cloud === undefined))('$code', (preset) => {
  const sold = choose(preset);
  let simulator: Simulator;
  beforeAll(async () => {
    simulator = await simulate(preset, sold.model);
  });
  afterAll(() => simulator?.close());

  it('is added by the command, and serves Chat, Messages and Responses at the exact price', async () => {
    const { code, addresses } = preset;
    const { pathname } = new URL(addresses[0]?.baseUrl ?? '');
    const key = { anthropic: 'KEY_ANTHROPIC', google: 'KEY_GOOGLE' }[code] ?? 'KEY_OPENAI';
    const added = await commands.run(
      ...['vendor', 'add', code, ...sold.options, '--key-variable', key],
      ...['--base-url', `${simulator.url}${pathname === '/' ? '' : pathname}`],
    );
    expect(added).toMatchObject({ code: 0, stderr: '' });
    expect(added.stdout).toContain(`model ${sold.model} added`);
    expect(added.stdout).not.toContain('sk-sim');
    expect(added.stdout.includes('tried against a simulator only')).toBe(preset.tried === 'simulator');
    // Side by side, so that their settlement is waited for once.
    const calls = WAYS.map(async ([way, path]) => {
      const tag = `${code}-${way}`;
      const words = `[[sim tag=${tag} tokens=${TOKENS} thinking=40]]`;
      const response = await world.post(path, bodyOf(sold.model, way, words));
      const text = await response.text();
      expect(response.status, text).toBe(200);
      const truth = simulator.truth.find(tag);
      if (truth === undefined) throw new Error(`${tag} did not arrive`);
      expect(truth.outputTokens).toBeGreaterThanOrEqual(TOKENS);
      const paid = await paidCredits(world, response.headers.get('x-request-id'));
      expect(BigInt(String(paid)), `${tag}: ${text.slice(-300)}`).toBe(charge(sold, truth));
    });
    await Promise.all(calls);
  });
});

type Way = 'chat' | 'chat-stream' | 'messages' | 'messages-stream' | 'responses';

const WAYS: readonly (readonly [Way, string])[] = [
  ['chat', '/v1/chat/completions'],
  ['chat-stream', '/v1/chat/completions'],
  ['messages', '/v1/messages'],
  ['messages-stream', '/v1/messages'],
  ['responses', '/v1/responses'],
];

function bodyOf(model: string, way: Way, content: string): object {
  const stream = way.endsWith('-stream');
  if (way === 'responses') {
    return { model, instructions: 'Be short.', input: content, max_output_tokens: 4_000 };
  }
  const asked = { model, stream, messages: [{ role: 'user', content }] };
  if (way.startsWith('messages')) return { ...asked, max_tokens: 4_000, system: 'Be short.' };
  return asked;
}
