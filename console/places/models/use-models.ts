import { useApi } from '../../api/api.ts';

const PERIOD = { query: { period: 'week' } } as const;

/** Undefined while prices are unknown. Popularity and speed come after them. */
export function useModels() {
  const prices = useApi('listPrices', {});
  const use = useApi('rankModelsByUse', PERIOD).data?.data.models ?? [];
  const speed = useApi('rankModelsBySpeed', PERIOD).data?.data.models ?? [];
  const most = Math.max(1, ...use.map(({ calls }) => calls));
  const grouped = prices.data && [...Map.groupBy(prices.data.data.models, ({ model_id: id }) => id)];
  const models = grouped?.flatMap(([id, all]) => {
    const routes = all.toSorted((one, other) => one.priority - other.priority);
    const [first] = routes;
    if (first === undefined) return [];
    const fast = speed.find(({ model_id }) => model_id === id);
    return [
      {
        ...{ id, name: first.name, first, routes },
        used: (use.find(({ model_id }) => model_id === id)?.calls ?? 0) / most,
        tokensPerSecond: fast?.tokens_per_second ?? null,
        firstTokenMs: fast?.ttft_ms ?? null,
      },
    ];
  });
  return { prices, models };
}
