import type { CatalogFile, StoredCatalog } from '../../src/catalog/document.ts';
import { editCatalog } from '../../src/catalog/edit.ts';
import { parseCatalog } from '../../src/catalog/file/file.ts';
import { formatProblem } from '../../src/catalog/file/problems.ts';

/** The document of a catalogue text that is known to be good. */
export function catalogDocument(text: string): CatalogFile {
  const result = parseCatalog(text, {});
  if (result.kind === 'invalid') throw new Error(result.problems.map(formatProblem).join('\n'));
  return result.document;
}

export const NOTHING_STORED: StoredCatalog = {
  ...{ version: 1, systemRateMicro: 100_000_000n },
  defaults: { policyId: undefined, userRateMicro: 100_000_000n, apiBilling: true, autoExchange: false },
  verificationGrants: { personalMicro: 0n, enterpriseMicro: 0n },
  ...{ vendors: new Map(), credentials: new Map(), models: new Map(), policies: new Map() },
  ...{ plans: new Map(), nodes: new Map(), announcements: new Map() },
};

/** What the store holds after a good text was applied to nothing. */
export function storedCatalog(text: string): StoredCatalog {
  return editCatalog(catalogDocument(text), NOTHING_STORED, 'part', new Set()).after;
}

/** Two vendors, two credentials, two models, a plan, and an account with money and a subscription. */
export const CATALOG_TEXT = `
system_rate: 90
defaults: { policy: 1, user_rate: 95 }
verification_grants: { personal: "10", enterprise: "20.5" }
vendors:
  - { code: openai, name: OpenAI, protocols: [chat, responses], base_url: "https://openai.example/v1", byok: true }
  - { code: google, protocols: [gemini], base_url: "https://google.example", rate: 85.5 }
credentials:
  - { name: main, vendor: openai, secret: sk-first-secret-value, limits: { rpm: 60 } }
  - { name: spare, vendor: openai, secret: sk-spare-secret-value, rate: 80, base_url: "https://other.example/v1" }
models:
  - model_id: gpt
    prices: { input: "10", output: "30.123456", cache_input: "1" }
    context_window: 1000
    routes:
      - { vendor: openai, credential: spare, forward_model_id: gpt-x, priority: 20, rate_multiplier: 1.5 }
      - { vendor: openai, credential: main, protocols: [responses], priority: 10, weight: 3 }
  - { model_id: painter, prices: { image: "0.3" }, support_features: [image], restriction: { kind: plan, level: 2 } }
policies:
  - { id: 1, name: default, concurrency: 5, windows: [{ dimension: requests, seconds: 60, limit: 10 }] }
  - { id: 2, name: pro, windows: [{ dimension: amount, seconds: 3600, limit: "12.5" }] }
plans:
  - { code: PRO, level: 2, price: "199", days: 30, policy: 2, covers: { models: [gpt], windows: [{ seconds: 60, amount: "5" }] } }
nodes: [{ name: local, base_url: "http://127.0.0.1:8080", rate: 101 }]
announcements: [{ id: 1, title: Hello, starts_at: "2026-01-01 00:00:00", ends_at: "2027-01-01 00:00:00" }]
accounts:
  - { email: operator@example.com, password: operator-password, role: operator }
  - { email: user@example.com, password: user-password, user_type: 1, balance: "100", credits: "50000.5", subscription: { plan: PRO, days: 7 } }
`;
