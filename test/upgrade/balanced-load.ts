import { Agent } from 'node:http';
import { type Client, call, type LoadSize, PLAIN_PACE_MS, type Seen } from '../crash/load.ts';
import { codeOf } from '../crash/outage.ts';
import { IMAGES, type Shape, TEXT_SHAPES, type Way } from '../crash/shapes.ts';
import { sleep } from '../support/processes.ts';

/** A node drains, or nobody listens at its address. */
export function isTurnedAway(seen: Seen): boolean {
  return seen.requestId === undefined || (seen.status === 503 && codeOf(seen) === 50_301);
}

/** In turns over the nodes, and again at the next one when a call is turned away. */
const ROUNDS_MAX = 2;
/** Who got no answer takes a breath, as clients do. */
const REFUSED_PAUSE_MS = 250;

/** Clients behind a load balancer, which call again as soon as they have their answer. */
export class BalancedLoad {
  /** Every try, those that were turned away too. Each has a tag of its own. */
  readonly seen: Seen[] = [];
  /** How many calls were turned away by every node. */
  unserved = 0;
  readonly #nodes: readonly { readonly url: string }[];
  readonly #size: LoadSize;
  readonly #random: () => number;
  readonly #name: string;
  readonly #agent = new Agent({ keepAlive: true });
  #workers: Promise<void>[] = [];
  #over = false;
  #tries = 0;
  #turn = 0;

  /** The nodes at the time of each call are meant. `name` begins the tag of each try. */
  constructor(nodes: readonly { readonly url: string }[], size: LoadSize, random: () => number, name = 'u') {
    this.#name = name;
    this.#nodes = nodes;
    this.#size = size;
    this.#random = random;
  }

  start(customers: readonly Omit<Client, 'url'>[]): void {
    const { streams, plains, images } = this.#size;
    for (const customer of customers) {
      const begin = (shape: Shape, way: Way): void => {
        this.#workers.push(this.#work(customer, customer.reshape?.(shape) ?? shape, way));
      };
      for (const shape of TEXT_SHAPES) {
        for (let index = 0; index < streams; index++) begin(shape, 'stream');
        for (let index = 0; index < plains; index++) begin(shape, 'plain');
      }
      for (let index = 0; index < images; index++) begin(IMAGES, 'plain');
    }
  }

  /** No new calls; done when those on their way have ended. */
  async end(): Promise<void> {
    this.#over = true;
    await Promise.all(this.#workers);
    this.#agent.destroy();
  }

  async #work(customer: Omit<Client, 'url'>, shape: Shape, way: Way): Promise<void> {
    const { plainPaceMs = PLAIN_PACE_MS } = this.#size;
    while (!this.#over) {
      const tokens = 5 + Math.floor(this.#random() * 50);
      const pacing = way === 'stream' ? `pace=${this.#size.paceMs}` : `delay=${tokens * plainPaceMs}`;
      const seen = await this.#callSomewhere(customer, shape, way, `tokens=${tokens} ${pacing}`);
      if (seen === undefined) this.unserved += 1;
      if (seen?.status !== 200) await sleep(REFUSED_PAUSE_MS);
    }
  }

  async #callSomewhere(
    customer: Omit<Client, 'url'>,
    shape: Shape,
    way: Way,
    directive: string,
  ): Promise<Seen | undefined> {
    const first = ++this.#turn;
    for (let attempt = 0; attempt < ROUNDS_MAX * this.#nodes.length; attempt++) {
      const url = this.#nodes[(first + attempt) % this.#nodes.length]?.url ?? '';
      const ask = { shape, way, directive: `tag=${this.#name}${++this.#tries} ${directive}` };
      const seen = await call({ ...customer, url }, ask, this.#agent);
      this.seen.push(seen);
      if (!isTurnedAway(seen)) return seen;
    }
    return undefined;
  }
}
