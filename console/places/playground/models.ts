import { useMemo } from 'react';
import { type Data, useApi } from '../../api/api.ts';
import { isForPlayground, isTextProtocol } from '../../api/protocols.ts';
import type { Protocol, Settings } from './lanes/conversation.ts';

type PricedRoute = Data<'listPrices'>['models'][number];

/** A model that is on offer, with the routes that serve it, the first one first. */
export interface OfferedModel {
  readonly id: string;
  readonly name: string;
  readonly vendor: string;
  readonly routes: readonly PricedRoute[];
  /** Why the account may not call it. */
  readonly refusal: string | null;
  readonly maxOutput: number | null;
}

export interface Offer {
  readonly text: readonly OfferedModel[];
  readonly images: readonly OfferedModel[];
  /** Models that the playground has no place for, such as those of videos. */
  readonly others: readonly OfferedModel[];
}

/** Undefined while it is read. */
export function useOffer() {
  const prices = useApi('listPrices', {}, { staleTime: 60_000 });
  const routes = prices.data?.data.models;
  const offer = useMemo(() => (routes === undefined ? undefined : groupRoutes(routes)), [routes]);
  return { offer, prices };
}

function groupRoutes(routes: readonly PricedRoute[]): Offer {
  const byModel = Map.groupBy(routes, ({ model_id }) => model_id);
  const models = [...byModel].flatMap(([id, all]) => {
    const sorted = all.toSorted((one, other) => one.priority - other.priority);
    const [first] = sorted;
    if (first === undefined) return [];
    const { name, vendor_name: vendor, refusal, max_output_tokens: maxOutput } = first;
    return [{ id, name, vendor, routes: sorted, refusal, maxOutput }];
  });
  return {
    text: models.filter(({ routes: all }) => speaks(all, isTextProtocol)),
    images: models.filter(({ routes: all }) => speaks(all, (each) => each === 'images')),
    others: models.filter(({ routes: all }) => !speaks(all, isForPlayground)),
  };
}

function speaks(
  routes: readonly PricedRoute[],
  isWanted: (protocol: PricedRoute['protocols'][number]) => boolean,
): boolean {
  return routes.some(({ protocols }) => protocols.some(isWanted));
}

/** What the model itself allows. */
export function fitTo(settings: Settings, model: OfferedModel | undefined): Settings {
  const most = model?.maxOutput ?? settings.maxOutput;
  return settings.maxOutput <= most ? settings : { ...settings, maxOutput: most };
}

/** The protocol that the model's vendor speaks, if it is not the one that is called. */
export function convertedTo(model: OfferedModel, protocol: Protocol): Protocol | undefined {
  const [first] = model.routes;
  const spoken = first?.protocols.filter(isTextProtocol) ?? [];
  if (spoken.length === 0 || spoken.includes(protocol)) return undefined;
  return spoken.includes('responses') ? 'responses' : spoken[0];
}
