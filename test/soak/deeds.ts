import { type Client, call, type Seen } from '../crash/load.ts';
import { CHAT } from '../crash/shapes.ts';
import { sleep, until } from '../support/processes.ts';
import { THIS_VERSION, type Version } from '../upgrade/version-before.ts';
import type { Deed } from './plan.ts';
import { NODE_NAMES, type NodeName, type Site } from './site.ts';

/** Does things to a site, and waits each time until both nodes serve again. */
export class Deeds {
  /** Calls of its own, for the audit. */
  readonly seen: Seen[] = [];
  /** When a node was killed, on the clock of the clients. */
  readonly deaths: number[] = [];
  readonly #site: Site;
  readonly #awayMs: number;
  /** Of the nodes that are started. */
  #version: Version;
  #asked = 0;

  constructor(site: Site, awayMs: number, version: Version) {
    this.#site = site;
    this.#version = version;
    this.#awayMs = awayMs;
  }

  async do(deed: Deed): Promise<void> {
    await this.#begin(deed);
    for (const index of NODE_NAMES.keys())
      await until(async () => (await this.#ask(index)).status === 200, 300_000);
  }

  async #begin(deed: Deed): Promise<void> {
    const { simulator, mortal, redis } = this.#site;
    switch (deed) {
      case 'kill a node':
        this.deaths.push(performance.now());
        return this.#restart('north', 'SIGKILL');
      case 'upgrade both nodes':
        this.#version = THIS_VERSION;
        return this.#roll();
      case 'restart both nodes':
        return this.#roll();
      case 'refuse everything':
        await simulator.refuse(503);
        await sleep(this.#awayMs);
        return simulator.serve();
      case 'kill PostgreSQL':
        await mortal.kill();
        await sleep(this.#awayMs);
        return mortal.back();
      case 'kill Redis':
        await redis.kill();
        await sleep(this.#awayMs);
        return redis.restart();
    }
  }

  /** One after the other, so that one of them always serves. */
  async #roll(): Promise<void> {
    for (const name of NODE_NAMES) await this.#restart(name, 'SIGTERM');
  }

  async #restart(name: NodeName, signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const index = NODE_NAMES.indexOf(name);
    const node = this.#site.nodes[index];
    node?.kill(signal);
    const exit = await node?.exited;
    if (signal === 'SIGTERM' && exit?.code !== 0)
      throw new Error(`${name} ended with ${JSON.stringify(exit)}`);
    this.#site.nodes[index] = await this.#site.startNode(name, this.#version);
  }

  /** One small call that nothing but the deed can refuse. */
  async #ask(index: number): Promise<Seen> {
    const [customer] = this.#site.customers;
    if (customer === undefined) throw new Error('somebody calls');
    this.#asked += 1;
    const client: Client = { ...customer, url: this.#site.nodes[index]?.url ?? '' };
    const seen = await call(client, {
      shape: CHAT,
      way: 'plain',
      directive: `tag=ask${this.#asked} tokens=3`,
    });
    this.seen.push(seen);
    if (seen.status !== 200) await sleep(100);
    return seen;
  }
}
