import { expect } from 'vitest';
import { listConsumptions } from '../../../src/store/logs/receipts.ts';
import { examine } from '../../../src/store/operations/doctor.ts';
import { sleep, tollgate, until } from '../../support/processes.ts';
import { type Client, call, Load, type Seen, seeded } from '../load.ts';
import { codeOf } from '../outage.ts';
import { CHAT } from '../shapes.ts';
import { type Start, stolenMs } from '../starts.ts';
import { audit } from './books.ts';
import { wrongShared, wrongWindows } from './counted.ts';
import { type Death, killsOf } from './deaths.ts';
import { COVERAGE_MICRO, type Customer } from './payers.ts';
import { wrongSums } from './receipt-sums.ts';
import type { Scene } from './scene.ts';

/** So many are in flight whenever something dies. */
const SIZE = { streams: 100, plains: 45, images: 5, paceMs: 40 };
/** A chapter is audited and forgotten: what clients and vendors know stays small however long a run is. */
const DEATHS_PER_CHAPTER = 12;
const RECEIPTS = 100;
const UNAVAILABLE = 50_301;
const NOT_FOUND = 404;

export interface Totals {
  kills: number;
  calls: number;
  finished: number;
  cut: number;
  lost: number;
  doubled: number;
  /** From a start to ready, with a database that had not died as well. */
  readonly starts: Start[];
  readonly startsWithDatabase: Start[];
}

const POINT_MS = 180_000;
const tooLate = (point: string): Promise<string> => sleep(POINT_MS).then(() => `nobody came to ${point}`);

/** Servers that die under a load of all payers, and what must hold of the books whenever one is back. */
export class Trial {
  readonly load: Load;
  readonly totals: Totals;
  readonly deaths: number[] = [];
  readonly #scene: Scene;
  readonly #customers: readonly Customer[];
  #sinceMs = 0;
  #isWhole = true;
  #redisWasKept = true;
  #diedWithDatabase = false;

  constructor(scene: Scene, customers: readonly Customer[], seed: number) {
    this.#scene = scene;
    this.#customers = customers;
    this.load = new Load(SIZE, seeded(seed));
    const none = { kills: 0, calls: 0, finished: 0, cut: 0, lost: 0, doubled: 0 };
    this.totals = { ...none, starts: [], startsWithDatabase: [] };
  }

  get clients(): readonly [Client, ...Client[]] {
    const { url } = this.#scene.server;
    const [first, ...others] = this.#customers.map((customer) => ({ ...customer, url }));
    if (first === undefined) throw new Error('somebody calls');
    return [first, ...others];
  }

  /** The server runs at the beginning and at the end. */
  async run(deaths: readonly Death[]): Promise<void> {
    for (const [index, death] of deaths.entries()) {
      await this.#endServer();
      await this.restart(
        death.kind === 'point' ? { TOLLGATE_FAULTS: `${death.point}=kill@${death.times}` } : {},
      );
      this.load.start(...this.clients);
      await this.#perish(death);
      await this.load.end();
      if (death.kind === 'recovery') await this.#dieInRecovery(death.point);
      this.totals.kills += killsOf(death);
      if ((index + 1) % DEATHS_PER_CHAPTER !== 0 && index + 1 !== deaths.length) continue;
      await this.restart();
      await this.endChapter();
    }
  }

  async restart(faults: Readonly<Record<string, string>> = {}): Promise<void> {
    const before = stolenMs();
    const { readyMs } = await this.#scene.start(faults);
    const { starts, startsWithDatabase } = this.totals;
    const list = this.#diedWithDatabase ? startsWithDatabase : starts;
    list.push({ readyMs: Math.round(readyMs), stolenMs: stolenMs() - before });
    this.#diedWithDatabase = false;
    expect(await examine(this.#scene.database)).toEqual([]);
  }

  async #endServer(): Promise<void> {
    this.#scene.server.kill('SIGKILL');
    await this.#scene.server.exited;
  }

  async #kill(): Promise<void> {
    this.deaths.push(performance.now());
    await this.#endServer();
  }

  async #perish(death: Death): Promise<void> {
    const { server, redis } = this.#scene;
    switch (death.kind) {
      case 'server':
        await sleep(death.afterMs);
        return this.#kill();
      case 'point':
        expect(await Promise.race([server.exited, tooLate(death.point)])).toMatchObject({
          signal: 'SIGKILL',
        });
        this.deaths.push(performance.now());
        return;
      case 'recovery':
        await sleep(1_000);
        return this.#kill();
      case 'database':
        await this.#meetAll();
        await sleep(700);
        await this.#scene.killDatabase();
        await this.#scene.databaseBack();
        await sleep(300);
        return this.#kill();
      case 'both':
        await this.#meetAll();
        await sleep(1_000);
        await this.#scene.killDatabase();
        await this.#kill();
        this.#diedWithDatabase = true;
        if (this.#scene.environment.DATABASE_URL !== undefined) await this.#scene.databaseBack();
        return;
      case 'redis':
        await sleep(700);
        this.#isWhole = false;
        this.#redisWasKept = false;
        await redis?.kill();
        await sleep(1_000);
        await redis?.restart();
        await until(async () => (await this.#ask(this.clients[0], CHAT.model)).status === 200);
        return this.#kill();
    }
  }

  /** Without its database a server serves those it knows already, and only those. */
  async #meetAll(): Promise<void> {
    for (const client of this.clients) expect((await this.#ask(client, CHAT.model)).status).toBe(200);
  }

  async #dieInRecovery(point: string): Promise<void> {
    for (let tries = 0; tries < 2; tries++) {
      const starting = this.#scene.start({ TOLLGATE_FAULTS: `${point}=kill` });
      await expect(starting).rejects.toThrow(/did not say/);
    }
  }

  /** One call of the trial's own; the vendor knows neither `golden` nor what a fault is. */
  async #ask(client: Client, model: string): Promise<Seen> {
    const shape = {
      ...CHAT,
      body: (content: string) => ({
        model,
        messages: [{ role: 'user', content }],
        max_completion_tokens: model === CHAT.model ? 10 : 200_000,
      }),
    };
    const seen = await call(client, {
      shape,
      way: 'plain',
      directive: `tag=ask${performance.now()} tokens=3`,
    });
    if (model === CHAT.model) this.load.seen.push(seen);
    return seen;
  }

  #deathOf = ({ endedAt }: Seen): number =>
    this.deaths.findLast((at) => at <= endedAt) ?? Number.POSITIVE_INFINITY;

  /** A last wave that nobody disturbs; then all stories must agree, and nothing be left in the gate. */
  async endChapter(): Promise<void> {
    const { database, simulator, environment } = this.#scene;
    this.load.start(...this.clients);
    await sleep(300);
    await this.load.end();
    await this.#scene.settled();
    // While Redis is away nobody enters, and who is in gets no hold for his fallback: his own error stands.
    const isExcused = (one: Seen): boolean =>
      !this.#isWhole && (codeOf(one) === UNAVAILABLE || one.status === NOT_FOUND);
    const witnesses = { seen: this.load.seen, deathOf: this.#deathOf, sinceMs: this.#sinceMs, isExcused };
    const { problems, ...counts } = await audit(database, await simulator.truth(), witnesses);
    for (const name of ['calls', 'finished', 'cut', 'lost', 'doubled'] as const)
      this.totals[name] += counts[name];
    expect(problems).toEqual([]);
    expect(counts).toMatchObject({ lost: 0, doubled: 0 });
    expect(counts.finished).toBeGreaterThan(0);
    await this.#expectNothingLeft();
    expect(await this.#wrongReceipts()).toEqual([]);
    const doctor = await tollgate(['doctor', '--json'], environment);
    expect(doctor).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(doctor.stdout)).toMatchObject({ findings: [] });
    this.load.seen.length = 0;
    await simulator.forget();
    this.#isWhole = true;
    this.#sinceMs = Date.now();
  }

  /** Windows count what was admitted; who may spend everything gets it: nothing is held or pending. */
  async #expectNothingLeft(): Promise<void> {
    const { database, redis } = this.#scene;
    let ghostMicro: ReadonlyMap<number, bigint> = new Map();
    if (redis === undefined) expect(await wrongWindows(database, this.#customers)).toEqual([]);
    else if (this.#redisWasKept) {
      const shared = await wrongShared({ database, redis: redis.inspect }, this.#customers, {
        unheardMax: this.totals.kills * (SIZE.streams + SIZE.plains + SIZE.images),
      });
      expect(shared.wrong).toEqual([]);
      ghostMicro = shared.ghostMicro;
    } else return;
    for (const client of this.clients) {
      const customer = this.#customers.find(({ key }) => key === client.key);
      // Who has a fallback model would be served by that.
      if (customer?.reshape !== undefined || customer?.payer === 'byok') continue;
      const { requestId, status } = await this.#ask(client, 'golden');
      expect(status).toBe(404);
      await this.#scene.settled();
      const [row] = await database.query<{
        held_micro: bigint;
        credits_micro: bigint;
        covered_micro: bigint;
      }>(
        `select held_micro, credits_micro, (select coalesce(sum(amount_micro), 0)::bigint from calls
           where account_id = a.id and payer = 'subscription') as covered_micro
         from calls c join accounts a on a.id = c.account_id where call_id = $1`,
        [requestId],
      );
      const { held_micro = 0n, credits_micro = 0n, covered_micro = 0n } = row ?? {};
      const standsMicro =
        customer?.payer === 'credits' ? credits_micro : (COVERAGE_MICRO - covered_micro) * 1000n;
      expect(held_micro).toBeLessThanOrEqual(standsMicro);
      // What a dead process held frees itself, perhaps since it was looked at.
      const leastMicro = standsMicro - (ghostMicro.get(customer?.accountId ?? 0) ?? 0n);
      expect(held_micro).toBeGreaterThanOrEqual(leastMicro);
    }
  }

  async #wrongReceipts(): Promise<readonly string[]> {
    const { database } = this.#scene;
    const pages = await Promise.all(
      this.#customers.map(({ accountId }) => listConsumptions(database, accountId, { limit: RECEIPTS })),
    );
    expect(pages.every((page) => page.length > 0)).toBe(true);
    return pages.flat().flatMap(({ receipt }) => wrongSums(receipt));
  }
}
