import { Agent } from 'node:http';
import { begin, type LoadSize, type Seen } from '../crash/load.ts';
import { TEXT_SHAPES } from '../crash/shapes.ts';
import { sleep } from '../support/processes.ts';
import { BalancedLoad } from '../upgrade/balanced-load.ts';
import type { SoakCustomer } from './customers.ts';

/** For each customer and, of streams and plain calls, each protocol: some 25 calls a second in all. */
const SIZE: LoadSize = { streams: 1, plains: 1, images: 1, paceMs: 60, plainPaceMs: 60 };
const LEAVERS = 4;
const LEAVE_MS_MAX = 2_500;

/** A steady load over both nodes, and clients that leave before they have their answer. */
export class Traffic {
  readonly #balanced: BalancedLoad;
  readonly #nodes: readonly { readonly url: string }[];
  readonly #random: () => number;
  readonly #name: string;
  readonly #left: Seen[] = [];
  readonly #agent = new Agent({ keepAlive: true });
  #leavers: Promise<void>[] = [];
  #over = false;
  #made = 0;
  #trimmed = 0;

  /** `name` begins the tag of each call. */
  constructor(nodes: readonly { readonly url: string }[], random: () => number, name: string) {
    this.#nodes = nodes;
    this.#random = random;
    this.#name = name;
    this.#balanced = new BalancedLoad(nodes, SIZE, random, `${name}u`);
  }

  start(customers: readonly SoakCustomer[]): void {
    this.#balanced.start(customers);
    const [first] = customers;
    if (first === undefined) throw new Error('somebody calls');
    this.#leavers = Array.from({ length: LEAVERS }, (_, index) => this.#leave(first, index));
  }

  get seen(): readonly Seen[] {
    return [...this.#balanced.seen, ...this.#left];
  }

  /** The text of a good answer is not needed any more: its arrivals are counted. */
  trim(): void {
    const { seen } = this.#balanced;
    for (; this.#trimmed < seen.length; this.#trimmed += 1) {
      const one = seen[this.#trimmed];
      if (one?.status === 200) one.text = '';
    }
  }

  async end(): Promise<void> {
    this.#over = true;
    await Promise.all([this.#balanced.end(), ...this.#leavers]);
    this.#agent.destroy();
  }

  async #leave(customer: SoakCustomer, index: number): Promise<void> {
    const shape = TEXT_SHAPES[index % TEXT_SHAPES.length];
    if (shape === undefined) throw new Error('there are protocols');
    while (!this.#over) {
      this.#made += 1;
      const url = this.#nodes[this.#made % this.#nodes.length]?.url ?? '';
      const directive = `tag=${this.#name}a${this.#made} tokens=60 pace=40`;
      const call = begin({ ...customer, url }, { shape, way: 'stream', directive }, this.#agent);
      await Promise.race([call.ended, sleep(this.#random() * LEAVE_MS_MAX)]);
      call.abort();
      const seen = await call.ended;
      this.#left.push(seen);
      if (seen.status !== 200) await sleep(LEAVE_MS_MAX / 10);
    }
  }
}
