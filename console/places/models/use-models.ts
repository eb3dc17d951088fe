import { useApi } from '../../api/api.ts';

const PERIOD = { query: { period: 'week' } } as const;

/**
 * Undefined while prices are unknown, and until popularity and speed were asked for: they order the rows,
 * which must not move any more. Without an answer the models are shown all the same.
 */
export function useModels() {
  const prices = useApi('listPrices', {});
  const byUse = useApi('rankModelsByUse', PERIOD);
  const bySpeed = useApi('rankModelsBySpeed', PERIOD);
  const use = byUse.data?.data.models ?? [];
  const speed = bySpeed.data?.data.models ?? [];
  const most = Math.max(1, ...use.map(({ calls }) => calls));
  const isWaiting = [byUse, bySpeed].some(({ isPending, failureCount }) => isPending && failureCount === 0);
  const known = isWaiting ? undefined : prices.data;
  const grouped = known && [...Map.groupBy(known.data.models, ({ model_id: id }) => id)];
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
