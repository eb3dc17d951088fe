/** How many calls race for one bound. */
export const COUNTS = [2, 20, 100, 500] as const;
/** Credits of one call: thirty tokens. */
export const PRICE = 3;

/** Calls that a bound pays for: half of those that race, or a quarter where two payers stand in line. */
export const half = (count: number): number => Math.floor(count / 2);
export const quarter = (count: number): number => Math.ceil(count / 4);

/** Enough for so many calls, and half a Credit: too little for a call to enter with. */
export const boundOf = (calls: number): number => calls * PRICE + 0.5;

/** 1 yuan is 1000 Credits. */
export const yuanOf = (credits: number): string => (credits / 1000).toFixed(6);

const amountPolicy = (id: number, credits: number): string =>
  `  - { id: ${id}, name: amount, windows: [{ dimension: amount, seconds: 3600, limit: "${yuanOf(credits)}" }] }`;
const plan = (code: string, credits: number): string =>
  `  - { code: ${code}, level: 1, covers: { models: "*", windows: [{ seconds: 3600, amount: "${yuanOf(credits)}" }] } }`;

/** The key's policy and the plan that bound a race of so many calls. */
export const amountPolicyOf = (count: number): number => 1_000 + count;
export const planOf = (count: number): string => `RACE${count}`;

/** What streams are stopped by: more than their bound they cannot cost together. */
export const STREAMS_BOUND = 2_000.5;
export const STREAMS_POLICY = 900;
export const STREAMS_PLAN = 'STREAMS';

/**
 * `round` and `talker`: input is free, an output token costs a tenth of a Credit, so that prices are known
 * before. `talker` does not think: what it makes is seen.
 */
export const RACE_CATALOG = `
defaults: { policy: 1, user_rate: 100, api_billing: true, auto_exchange: false }
vendors: [{ code: openai, name: OpenAI, protocols: [chat, images], base_url: "\${SIM}/v1" }]
credentials: [{ name: main, vendor: openai, secret: sk-sim-openai }]
models:
  - model_id: round
    prices: { input: "0", output: "100" }
    max_output_tokens: 128000
    routes: [{ vendor: openai, credential: main, forward_model_id: gpt-5-2026-08-01, protocols: [chat] }]
  - model_id: talker
    prices: { input: "0", output: "100" }
    max_output_tokens: 16384
    routes: [{ vendor: openai, credential: main, forward_model_id: gpt-4o, protocols: [chat] }]
  - model_id: painter
    prices: { image: "0.1" }
    routes: [{ vendor: openai, credential: main, forward_model_id: gpt-image-1, protocols: [images] }]
  - model_id: verified-only
    restriction: { kind: verification, level: 2 }
    prices: { input: "0", output: "100" }
    routes: [{ vendor: openai, credential: main, forward_model_id: gpt-5-2026-08-01, protocols: [chat] }]
policies:
  - { id: 1, name: default, concurrency: 100000, windows: [] }
  - { id: 2, name: one, windows: [{ dimension: requests, seconds: 3600, limit: 1 }] }
  - { id: 3, name: ten, windows: [{ dimension: requests, seconds: 3600, limit: 10 }] }
  - { id: 4, name: seven-at-once, concurrency: 7, windows: [] }
  - { id: 5, name: short, windows: [{ dimension: requests, seconds: 4, limit: 3 }] }
  - { id: 6, name: both, concurrency: 2, windows: [{ dimension: requests, seconds: 3600, limit: 5 }] }
  - { id: 7, name: tokens, windows: [{ dimension: tokens, seconds: 3600, limit: 100 }] }
  - { id: 8, name: short-tokens, windows: [{ dimension: tokens, seconds: 4, limit: 100 }] }
  - { id: 9, name: short-amount, windows: [{ dimension: amount, seconds: 4, limit: "0.0205" }] }
  - { id: 10, name: six-requests, windows: [{ dimension: requests, seconds: 3600, limit: 6 }] }
  - { id: 11, name: six-calls-of-tokens, windows: [{ dimension: tokens, seconds: 3600, limit: 1250 }] }
  - { id: 12, name: six-calls-of-yuan, windows: [{ dimension: amount, seconds: 3600, limit: "0.1205" }] }
${amountPolicy(STREAMS_POLICY, STREAMS_BOUND)}
${COUNTS.map((count) => amountPolicy(amountPolicyOf(count), boundOf(half(count)))).join('\n')}
plans:
  - { code: SIX, level: 1, covers: { models: "*", windows: [{ seconds: 3600, amount: "0.1205" }] } }
  - { code: SHORT, level: 1, covers: { models: "*", windows: [{ seconds: 4, amount: "0.0205" }] } }
${plan(STREAMS_PLAN, STREAMS_BOUND)}
${COUNTS.map((count) => plan(planOf(count), boundOf(quarter(count)))).join('\n')}
accounts: [{ email: user@example.com, password: "a test password", user_type: 1, credits: "50000" }]
`;
