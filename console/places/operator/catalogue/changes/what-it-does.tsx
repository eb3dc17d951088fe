import { Icon, type IconName } from '../../../../parts/icons/icon.tsx';
import { percent } from '../../../../parts/text/format.ts';
import css from '../catalogue.module.css';
import { Words } from '../entries/words.tsx';
import { type Texts, useCatalogueTexts } from '../texts.ts';
import type { CataloguePageProps } from '../types.ts';
import type { Comparison } from '../use-catalogue.ts';

interface Effect {
  readonly key: string;
  readonly icon: IconName;
  readonly text: string;
}

type Shares = Comparison['effects']['shares'][number]['after'];

/** `a 63 %, b 37 %, then c`: one priority after the other. */
function writtenShares(t: Texts, shares: Shares): string {
  const priorities = [...new Set(shares.map(({ priority }) => priority))];
  const groups = priorities.map((wanted) => {
    const group = shares.filter(({ priority }) => priority === wanted);
    const names = group.map(({ credential, share }) =>
      group.length === 1 ? credential : `${credential} ${percent(share)}`,
    );
    return names.join(', ');
  });
  return groups.length === 0 ? t.nobody : groups.join(t.thenRoutes);
}

function priceIcon(before: string | null, after: string | null): IconName {
  return Number(after ?? 0) >= Number(before ?? 0) ? 'up' : 'down';
}

const PRICED = /^prices\.|^prices$/;
const RATES = new Set(['rate', 'system_rate', 'rate_multiplier', 'defaults.user_rate']);

/** Changes that no effect speaks of. */
function otherChanges({ changes, effects }: Comparison, t: Texts): readonly Effect[] {
  const shared = new Set(effects.shares.map(({ model_id }) => model_id));
  const isTold = ({ kind, entity, key, fields }: Comparison['changes'][number]): boolean => {
    if (entity === 'route') return [...shared].some((model) => key.startsWith(model));
    if (kind !== 'updated') return false;
    if (entity === 'policy') return fields.every(({ name }) => /^(concurrency|windows)/.test(name));
    return fields.every(({ name }) => PRICED.test(name) || RATES.has(name));
  };
  const icons = { created: 'plus', updated: 'gear', disabled: 'stop', removed: 'x' } as const;
  return changes
    .filter((change) => !isTold(change))
    .map(({ kind, entity, key, fields }) => ({
      ...{ key: `${kind} ${entity} ${key}`, icon: icons[kind] },
      text: t.changed[kind](t.entity(entity), key, kind === 'updated' ? fields.map(({ name }) => name) : []),
    }));
}

function effectsOf(comparison: Comparison, t: Texts): readonly Effect[] {
  const { shares, prices, rates, limits } = comparison.effects;
  return [
    ...prices.map(
      ({ model_id, price, before, after }): Effect => ({
        ...{ key: `price ${model_id} ${price}`, icon: priceIcon(before, after) },
        text: t.effects.price({ model: model_id, price: t.priceName(price), before, after }),
      }),
    ),
    ...shares.map(
      ({ model_id, before, after }): Effect => ({
        ...{ key: `share ${model_id}`, icon: 'swap' },
        text: t.effects.shares(model_id, writtenShares(t, after), writtenShares(t, before)),
      }),
    ),
    ...rates.map(
      ({ entity, key, rate, before, after }): Effect => ({
        ...{ key: `rate ${entity} ${key} ${rate}`, icon: priceIcon(before, after) },
        text: t.effects.rate({ entity: t.entity(entity), key, rate, before, after }),
      }),
    ),
    ...limits.map(
      (limit): Effect => ({
        ...{ key: `limit ${limit.policy_id} ${limit.limit} ${limit.seconds}`, icon: 'clock' },
        text: t.effects.limit(limit),
      }),
    ),
    ...otherChanges(comparison, t),
  ];
}

/** How many lines `WhatItDoes` has. While they are not known, or wrong, what was edited is counted. */
export function useChangeCount({ catalogue, comparison }: CataloguePageProps): number {
  const t = useCatalogueTexts();
  if (catalogue.edits.length === 0) return 0;
  return (comparison && effectsOf(comparison, t).length) || catalogue.edits.length;
}

/** What the changes mean for calls, in words. */
export function WhatItDoes({ comparison }: { readonly comparison: Comparison }) {
  const t = useCatalogueTexts();
  return (
    <ul className={css.does}>
      {effectsOf(comparison, t).map(({ key, icon, text }) => (
        <li key={key}>
          <Icon name={icon} size={14} />
          <Words text={text} />
        </li>
      ))}
    </ul>
  );
}
