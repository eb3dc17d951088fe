/** A vendor's dialect as an agent meets it behind the gateway. */
export interface Upstream {
  readonly name: 'chat' | 'responses' | 'messages' | 'gemini';
  readonly vendor: string;
  /** The vendor's own name of the model. */
  readonly model: string;
}

export const UPSTREAMS: readonly Upstream[] = [
  { name: 'chat', vendor: 'openai', model: 'gpt-5' },
  { name: 'responses', vendor: 'openai', model: 'gpt-5' },
  { name: 'messages', vendor: 'anthropic', model: 'claude-opus-5' },
  { name: 'gemini', vendor: 'google', model: 'gemini-3-pro' },
];

/**
 * Agents look at the name of a model to decide what they send, so each of them has one name for each
 * dialect, and every name begins as the models of its own vendor do.
 */
export function modelId(family: string, { name }: Upstream): string {
  return `${family}-${name}`;
}

/** `${SIM}` is the address of the simulated vendors. */
export function catalogFor(families: readonly string[]): string {
  return `
defaults: { policy: 1, user_rate: 100, api_billing: true, auto_exchange: false }
vendors:
  - { code: openai, name: OpenAI, protocols: [chat, responses], base_url: "\${SIM}/v1" }
  - { code: anthropic, name: Anthropic, protocols: [messages], base_url: "\${SIM}" }
  - { code: google, name: Google, protocols: [gemini], base_url: "\${SIM}" }
credentials:
  - { name: openai-main, vendor: openai, secret: sk-sim-openai }
  - { name: anthropic-main, vendor: anthropic, secret: sk-sim-anthropic }
  - { name: google-main, vendor: google, secret: sk-sim-google }
models:
${families.flatMap((family) => UPSTREAMS.map((upstream) => modelEntry(family, upstream))).join('\n')}
policies:
  - { id: 1, name: default, concurrency: 50, windows: [] }
accounts:
  - { email: user@example.com, password: "a test password", user_type: 1, balance: "100", credits: "50000" }
`;
}

function modelEntry(family: string, upstream: Upstream): string {
  const { name, vendor, model } = upstream;
  const id = modelId(family, upstream);
  return `
  - model_id: ${id}
    name: ${id}
    support_features: [text, image]
    prices: { input: "10", output: "30" }
    max_output_tokens: 64000
    routes: [{ vendor: ${vendor}, credential: ${vendor}-main, forward_model_id: ${model}, protocols: [${name}] }]`;
}
