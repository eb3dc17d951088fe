import type { CatalogSnapshot } from '../../catalog/contract.ts';
import type { Protocol } from '../../kernel/protocol-name.ts';
import { isOffered } from './offered.ts';

/** The default of OpenAI itself. */
const PREFERRED = 'omni-moderation-latest';

/** Snapshots are immutable, so the default stays valid as long as its snapshot. */
const defaults = new WeakMap<CatalogSnapshot, { readonly modelId: string | undefined }>();

/**
 * The model of a request that names none. Only moderations have one, because OpenAI's SDK lets its user leave
 * `model` out: the offered model of that protocol, and of several `omni-moderation-latest`, or else the first
 * by its id.
 */
export function defaultModel(protocol: Protocol, catalog: CatalogSnapshot): string | undefined {
  if (protocol !== 'moderations') return undefined;
  let known = defaults.get(catalog);
  if (known === undefined) {
    known = { modelId: choose(catalog) };
    defaults.set(catalog, known);
  }
  return known.modelId;
}

function choose({ models }: CatalogSnapshot): string | undefined {
  const ids = [...models.values()]
    .filter((model) => isOffered(model, ['moderations']))
    .map(({ modelId }) => modelId);
  return ids.includes(PREFERRED) ? PREFERRED : ids.toSorted()[0];
}
