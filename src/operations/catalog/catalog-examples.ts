import type { EntryKind } from '../../catalog/entries.ts';
import type { EntryJson } from '../../catalog/entry-json.ts';

/** One entry of each kind as it is shown, and the fields that a client sends to create it. */
export const ENTRY_EXAMPLES: Readonly<
  Record<EntryKind, { readonly shown: EntryJson; readonly made: EntryJson }>
> = {
  vendors: {
    shown: {
      code: 'openai',
      name: 'OpenAI',
      icon: 'openai',
      protocols: ['responses', 'chat'],
      base_url: 'https://api.openai.com/v1',
      rate: '100',
      byok: true,
      custom_base_url: false,
      cloud: null,
    },
    made: { code: 'openai', protocols: ['responses', 'chat'], base_url: 'https://api.openai.com/v1' },
  },
  credentials: {
    shown: {
      id: 3,
      name: 'openai-main',
      vendor: 'openai',
      secret: '…wxyz',
      base_url: null,
      rate: '100',
      limits: { concurrency: 100, rpm: 6000, tpm: null },
      status: 'enabled',
    },
    made: { name: 'openai-main', vendor: 'openai', secret: 'sk-proj-stuvwxyz', limits: { rpm: 6000 } },
  },
  models: {
    shown: {
      model_id: 'gpt-5',
      name: 'GPT-5',
      status: 'enabled',
      client_visible: true,
      restriction: { kind: 'none', level: 0 },
      support_features: ['text', 'image'],
      prices: {
        input: '10',
        output: '30',
        cache_input: '1',
        cache_output: null,
        cache_write: '12.5',
        image: '0',
        video: '0',
      },
      billing_modes: 1,
      context_window: 400000,
      max_output_tokens: 128000,
      routing: 'weight',
      batch_rate: '50',
      capabilities: null,
    },
    made: { model_id: 'gpt-5', name: 'GPT-5', prices: { input: '10', output: '30', cache_input: '1' } },
  },
  routes: {
    shown: {
      id: 7,
      model_id: 'gpt-5',
      vendor: 'openai',
      credential: 'openai-main',
      forward_model_id: 'gpt-5-2026-08-01',
      protocols: null,
      priority: 10,
      weight: 1,
      rate_multiplier: '1',
      status: 'enabled',
      capabilities: null,
    },
    made: {
      model_id: 'gpt-5',
      vendor: 'openai',
      credential: 'openai-main',
      forward_model_id: 'gpt-5-2026-08-01',
      priority: 10,
    },
  },
  policies: {
    shown: {
      id: 2,
      name: 'pro',
      concurrency: 50,
      windows: [{ dimension: 'requests', seconds: 60, limit: '1200' }],
      selectable: null,
    },
    made: { name: 'pro', concurrency: 50, windows: [{ dimension: 'requests', seconds: 60, limit: '1200' }] },
  },
  plans: {
    shown: {
      code: 'PRO',
      level: 2,
      name: 'Pro',
      price: '199',
      days: 30,
      policy: 2,
      covers: { models: '*', windows: [{ seconds: 18000, amount: '50' }] },
    },
    made: { code: 'PRO', level: 2, name: 'Pro', price: '199', policy: 2 },
  },
  nodes: {
    shown: { name: 'local', base_url: 'http://127.0.0.1:8080', region: 'default', rate: '100' },
    made: { name: 'local', base_url: 'http://127.0.0.1:8080' },
  },
  announcements: {
    shown: {
      id: 1,
      title: 'Welcome',
      body: 'We are open.',
      starts_at: '2026-01-01 00:00:00',
      ends_at: '2027-01-01 00:00:00',
    },
    made: { title: 'Welcome', starts_at: '2026-01-01 00:00:00', ends_at: '2027-01-01 00:00:00' },
  },
};
