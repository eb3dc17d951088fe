import { useApi } from '../api/api.ts';
import { isTextProtocol } from '../api/protocols.ts';

/** Models that this account may call with text, in the order of the offer. Undefined while it is read. */
export function useCallableModels(): {
  readonly models: readonly { readonly id: string; readonly vendor: string }[] | undefined;
  /** How many there are, and how many of them may be called. */
  readonly counts: { readonly all: number; readonly callable: number } | undefined;
} {
  const routes = useApi('listPrices', {}, { staleTime: 60_000 }).data?.data.models;
  if (routes === undefined) return { models: undefined, counts: undefined };
  const callable = new Map<string, string>();
  const spoken = new Map<string, string>();
  for (const { model_id: id, vendor_name: vendor, refusal, protocols } of routes) {
    if (refusal !== null) continue;
    if (!callable.has(id)) callable.set(id, vendor);
    if (!spoken.has(id) && protocols.some(isTextProtocol)) spoken.set(id, vendor);
  }
  const all = new Set(routes.map(({ model_id: id }) => id)).size;
  return {
    models: [...spoken].map(([id, vendor]) => ({ id, vendor })),
    counts: { all, callable: callable.size },
  };
}
