import { hash } from 'node:crypto';
import type { Route, Routing } from '../../catalog/contract.ts';
import { routeFactor } from '../../catalog/price.ts';
import type { Protocol } from '../../kernel/protocol-name.ts';
import type { Random } from '../../kernel/random.ts';
import type { Health } from '../../upstream/health/health.ts';

/** What decides the order of a model's routes, besides their priority. */
export interface RouteOrder {
  readonly routing: Routing;
  readonly protocol: Protocol;
  readonly health: Pick<Health, 'firstTokenMs'>;
  readonly random: Random;
  /** Of the client. Vendors cache the beginning of what it holds. */
  readonly body: Buffer;
}

/** Times within a quarter of each other count as the same: the weights decide. */
const LATENCY_STEP = Math.log(1.25);
/** One call in so many goes by weight, so that a route that has become fast is noticed. */
const EXPLORED = 20;

/** Vendors cache from about a thousand tokens on. */
const CACHED_BODY_BYTES_MIN = 4_096;
const CACHED_PREFIX_BYTES = 2_048;
/** Where the prompt must begin. */
const PREFIX_SEARCH_BYTES = 8_192;

/**
 * Routes by priority. At equal priority, vendors with the client's own protocol come before those that need
 * a conversion. Then the model's routing decides, and between equals a weighted choice without replacement
 * (Efraimidis and Spirakis): each route draws an exponential time with its weight as the rate, and the
 * earliest time comes first. A weight of 0 comes last.
 *
 * `cache` draws by a hash of the prompt's beginning instead of at random (rendezvous hashing): the same
 * beginning finds the same credential on every node, as long as that one is healthy, and many beginnings
 * spread by weight. Nothing has to be remembered for it.
 */
export function sortRoutes(routes: readonly Route[], order: RouteOrder): readonly Route[] {
  const { protocol } = order;
  const rank = rankBy(routes, order);
  const draw = drawBy(order);
  const drawn = routes.map((route) => ({
    route,
    foreign: route.protocols.includes(protocol) ? 0 : 1,
    rank: rank(route),
    time: route.weight > 0 ? -Math.log(1 - draw(route)) / route.weight : Number.MAX_VALUE,
  }));
  drawn.sort(
    (one, other) =>
      one.route.priority - other.route.priority ||
      one.foreign - other.foreign ||
      one.rank - other.rank ||
      one.time - other.time,
  );
  return drawn.map(({ route }) => route);
}

function rankBy(routes: readonly Route[], { routing, health, random }: RouteOrder): (route: Route) => number {
  if (routing === 'cost') return (route) => Number(routeFactor(route));
  if (routing !== 'latency' || random.unit() * EXPLORED < 1) return () => 0;
  const measured = routes.flatMap((route) => health.firstTokenMs(route) ?? []);
  // A route that was never measured counts as the fastest, so that it is measured soon.
  const fastestMs = Math.min(...measured);
  return (route) => Math.round(Math.log(Math.max(health.firstTokenMs(route) ?? fastestMs, 1)) / LATENCY_STEP);
}

/** A number from 0 to below 1. */
function drawBy({ routing, random, body }: RouteOrder): (route: Route) => number {
  const prefix = routing === 'cache' ? promptPrefix(body) : undefined;
  if (prefix === undefined) return () => random.unit();
  const digest = hash('sha256', prefix, 'hex');
  return ({ credential }) => {
    const drawn = hash('sha256', `${digest} ${credential.id}`, 'buffer');
    return drawn.readUIntBE(0, 6) / 2 ** 48;
  };
}

const CONTENT_KEYS = [
  ...['"messages"', '"system"', '"instructions"', '"input"', '"contents"', '"tools"'],
  ...['"systemInstruction"', '"system_instruction"', '"prompt"'],
].map((key) => Buffer.from(key));

/**
 * The beginning of what the model reads, which stays the same while a conversation goes on. What stands
 * before it, such as the name of the model and limits, may differ from call to call. Undefined for a request
 * that is too small for any vendor's cache.
 */
export function promptPrefix(body: Buffer): Buffer | undefined {
  if (body.length < CACHED_BODY_BYTES_MIN) return undefined;
  const searched = body.subarray(0, PREFIX_SEARCH_BYTES);
  const places = CONTENT_KEYS.map((key) => searched.indexOf(key)).filter((at) => at >= 0);
  if (places.length === 0) return undefined;
  const start = Math.min(...places);
  return body.subarray(start, start + CACHED_PREFIX_BYTES);
}
