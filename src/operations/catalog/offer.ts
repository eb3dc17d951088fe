import type { CatalogSnapshot, Model, Route } from '../../catalog/contract.ts';
import { LIST_RATE_MICRO } from '../../catalog/price.ts';
import { type LiveNode, loadLiveNodes } from '../../store/operations/heartbeats.ts';
import type { Context } from '../context.ts';
import { ID, nullable, TIME } from '../fields.ts';
import { rateNumber } from '../logs/log-items.ts';
import { data, type Operation, operation } from '../operation.ts';
import { Type } from '../schema.ts';

const GROUP = { surface: 'user', access: 'public', tag: 'Public', method: 'GET' } as const;
const TEXT = Type.String();
export const RATE = Type.Number({ minimum: 0, description: '100 is list price.' });

export interface Offered {
  readonly model: Model;
  readonly route: Route;
}

/** Rule I-59: enabled and visible models, one row for each usable route. */
export function offered({ models: all }: CatalogSnapshot): readonly Offered[] {
  return [...all.values()]
    .filter((model) => model.status === 'enabled' && model.clientVisible)
    .flatMap((model) => model.routes.map((route) => ({ model, route })))
    .filter(({ route }) => route.status === 'enabled' && route.credential.status === 'enabled');
}

const MODEL_FIELDS = {
  id: ID,
  model_id: TEXT,
  name: TEXT,
  status: Type.Literal('enabled'),
  client_visible: Type.Literal(true),
  rate_multiplier: Type.Number({ minimum: 0 }),
  vendor_code: TEXT,
  vendor_name: TEXT,
  forward_model_id: TEXT,
};

const models = operation({
  ...GROUP,
  name: 'public.models',
  id: 'listOfferedModels',
  path: '/models',
  title: 'List offered models',
  summary: 'The models on offer, one row for each usable route.',
  data: Type.Array(Type.Object(MODEL_FIELDS)),
  example: {
    data: [
      {
        ...{ id: 1, model_id: 'gpt-5', name: 'GPT-5', status: 'enabled', client_visible: true },
        ...{ rate_multiplier: 1, vendor_code: 'openai', vendor_name: 'OpenAI', forward_model_id: 'gpt-5' },
      },
    ],
  },
  handle: async (_input, context) => data(offered(context.catalog()).map(shownModel)),
});

function shownModel({ model, route }: Offered): Record<keyof typeof MODEL_FIELDS, unknown> {
  return {
    id: route.id,
    model_id: model.modelId,
    name: model.name,
    status: model.status,
    client_visible: model.clientVisible,
    rate_multiplier: rateNumber(route.rateMultiplierMicro),
    vendor_code: route.vendor.code,
    vendor_name: route.vendor.name,
    forward_model_id: route.forwardModelId,
  };
}

const nodes = operation({
  ...GROUP,
  name: 'public.nodes',
  id: 'listGatewayNodes',
  path: '/gateway-nodes',
  title: 'List gateway nodes',
  summary: 'The nodes of the gateway, their rates, and whether they are alive.',
  data: Type.Array(
    Type.Object({
      name: TEXT,
      base_url: Type.String({ description: 'Empty if it is not configured.' }),
      region: TEXT,
      rate: RATE,
      alive: Type.Boolean(),
      last_seen_at: nullable(TIME),
    }),
  ),
  example: {
    data: [
      {
        ...{ name: 'north', base_url: 'https://north.example.com', region: 'eu', rate: 100 },
        ...{ alive: true, last_seen_at: '2026-11-15 09:05:00' },
      },
    ],
  },
  handle: async (_input, context) => {
    const found = await nodesWithOwn(context);
    return data(
      found.map(({ name, baseUrl, region, rateMicro, alive, lastSeenAtMs }) => ({
        name,
        base_url: baseUrl,
        region,
        rate: rateNumber(rateMicro),
        alive,
        last_seen_at: lastSeenAtMs === undefined ? null : context.showTime(lastSeenAtMs),
      })),
    );
  },
});

type ShownNode = Omit<LiveNode, 'workers' | 'activeCalls'>;

/** Includes this node before its first heartbeat, and if the catalogue does not have it. */
async function nodesWithOwn({ database, config, clock }: Context): Promise<readonly ShownNode[]> {
  const { nodeName, publicUrl = '', role } = config;
  const found = await loadLiveNodes(database);
  if (role === 'platform') return found;
  const known = found.find(({ name }) => name === nodeName);
  const own = {
    ...(known ?? { name: nodeName, baseUrl: '', region: 'default', rateMicro: LIST_RATE_MICRO }),
    ...{ alive: true, lastSeenAtMs: clock.now() },
  };
  const others = found.filter(({ name }) => name !== nodeName);
  return [...others, { ...own, baseUrl: own.baseUrl === '' ? publicUrl : own.baseUrl }].sort((one, other) =>
    one.name < other.name ? -1 : 1,
  );
}

const announcements = operation({
  ...GROUP,
  name: 'public.announcements',
  id: 'listActiveAnnouncements',
  path: '/announcement/active',
  title: 'List active announcements',
  summary: 'The announcements that are valid now, the newest first.',
  data: Type.Array(Type.Object({ id: ID, title: TEXT, body: TEXT, starts_at: TIME, ends_at: TIME })),
  example: {
    data: [
      {
        ...{ id: 1, title: 'Maintenance', body: 'On Sunday night.' },
        ...{ starts_at: '2026-11-14 00:00:00', ends_at: '2026-11-16 00:00:00' },
      },
    ],
  },
  handle: async (_input, context) => {
    // The times are texts in the time zone of the server, and this form sorts by time.
    const now = context.showTime(context.clock.now());
    const active = context
      .catalog()
      .announcements.filter((each) => each.startsAt <= now && now < each.endsAt);
    const shown = active.map(({ id, title, body, startsAt, endsAt }) => ({
      ...{ id, title, body, starts_at: startsAt, ends_at: endsAt },
    }));
    return data(shown.sort((one, other) => (one.starts_at < other.starts_at ? 1 : -1)));
  },
});

/** Rule I-59, rule I-62 and rule I-64: the public offer. */
export const offerOperations: readonly Operation[] = [models, nodes, announcements];
