export const SALES_EXAMPLE = {
  calls: 1200,
  failed: 3,
  input_tokens: 4_500_000,
  output_tokens: 900_000,
  images: 0,
  amount: '72',
  revenue: '65.5',
  cost: '60',
  margin: '5.5',
};

export const TRAFFIC_EXAMPLE = { calls: 1250, failed: 53, byok_calls: 40, covered: '6.5' };

export const OVERVIEW_EXAMPLE = {
  from: '2026-11-14 09:00:00',
  to: '2026-11-15 10:00:00',
  traffic: { ...TRAFFIC_EXAMPLE, active_accounts: 17 },
  errors: [{ status: 429, calls: 50 }],
  sales: SALES_EXAMPLE,
  vendors: [{ vendor: 'openai', ...SALES_EXAMPLE }],
  models: [{ model_id: 'gpt-5', ...SALES_EXAMPLE }],
  accounts: { total: 120, new: 4 },
  waiting: { verifications: 1, feedback: 2 },
};
