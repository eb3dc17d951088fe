import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import type { SoakEvent, SoakQuiet, SoakResult, SoakSample } from '../../bench/report/soak.ts';
import { type Seen, seeded } from '../crash/load.ts';
import { isIdle, judge } from '../crash/outage.ts';
import { sleep, tollgate, until } from '../support/processes.ts';
import {
  THIS_VERSION,
  unpackVersionBefore,
  VERSION_BEFORE,
  type VersionBefore,
} from '../upgrade/version-before.ts';
import { Deeds } from './deeds.ts';
import type { Plan, Planned } from './plan.ts';
import { countHandles, leastOpen, liveBytes, OthersMeter, sampleNode } from './samples.ts';
import { NODE_NAMES, type NodeName, openSite, type Site } from './site.ts';
import { Traffic } from './traffic.ts';

const REST_LOOK_MS = 500;

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

type Books = SoakResult['books'];
const NO_BOOKS: Books = {
  ...{ calls: 0, finished: 0, cut: 0, refused: 0, lost: 0, doubled: 0 },
  ...{ shortfallMicro: '0', problems: [] },
};

/** Opens a site, lets the plan happen to it, and tells how it fared. */
export async function soak(plan: Plan, seed: number, say: (line: string) => void): Promise<SoakResult> {
  const random = seeded(seed);
  const startedAt = new Date().toISOString();
  const { isMet, how } = VERSION_BEFORE;
  if (!isMet) say(`both nodes have this version from the start: ${how}`);
  const before = isMet ? await unpackVersionBefore() : undefined;
  const site = await openSite(random, before ?? THIS_VERSION);
  const close = async (): Promise<void> => {
    await site.close();
    await before?.remove();
  };
  const stop = (): void => void close().then(() => process.exit(1));
  for (const signal of SIGNALS) process.once(signal, stop);
  try {
    return await new Soak(site, plan, { random, say, startedAt, before }).run();
  } finally {
    for (const signal of SIGNALS) process.off(signal, stop);
    await close();
  }
}

class Soak {
  readonly #site: Site;
  readonly #plan: Plan;
  readonly #deeds: Deeds;
  readonly #others: OthersMeter;
  readonly #random: () => number;
  readonly #say: (line: string) => void;
  readonly #startedAt: string;
  readonly #before: string | undefined;
  readonly #begunMs = performance.now();
  readonly #samples: SoakSample[] = [];
  readonly #events: SoakEvent[] = [];
  readonly #due: Planned[];
  #books = NO_BOOKS;
  #sinceMs = 0;

  constructor(
    site: Site,
    plan: Plan,
    on: {
      readonly random: () => number;
      readonly say: (line: string) => void;
      readonly startedAt: string;
      readonly before: VersionBefore | undefined;
    },
  ) {
    this.#site = site;
    this.#plan = plan;
    this.#deeds = new Deeds(site, plan.awayMs, on.before ?? THIS_VERSION);
    this.#others = new OthersMeter(() => [process.pid, postmasterOf(site)]);
    this.#random = on.random;
    this.#say = on.say;
    this.#startedAt = on.startedAt;
    this.#before = on.before?.name;
    this.#due = [...plan.deeds];
  }

  async run(): Promise<SoakResult> {
    const { minutes, chapters } = this.#plan;
    let half: readonly SoakQuiet[] = [];
    let halfS = 0;
    let end: readonly SoakQuiet[] = [];
    for (let chapter = 1; chapter <= chapters; chapter += 1) {
      await this.#runChapter(chapter);
      if (chapter === chapters / 2) {
        half = await this.#rest();
        halfS = this.#nowS;
      }
      if (chapter === chapters) end = await this.#rest();
    }
    return {
      startedAt: this.#startedAt,
      minutes,
      machine: `${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}, Node ${process.version}`,
      othersCores: this.#others.meanCores,
      halfS,
      versionBefore: this.#before,
      samples: this.#samples,
      events: this.#events,
      quiet: { half, end },
      books: { ...this.#books, ...(await this.#closeBooks()) },
      slowestLagCalls: Math.max(0, ...this.#samples.map(({ lagCalls }) => lagCalls)),
    };
  }

  get #nowS(): number {
    return (performance.now() - this.#begunMs) / 1000;
  }

  /** Traffic, samples and what is due; then the books of these calls. */
  async #runChapter(chapter: number): Promise<void> {
    const { minutes, chapters, sampleMs } = this.#plan;
    const traffic = new Traffic(this.#site.nodes, this.#random, `c${chapter}`);
    traffic.start(this.#site.customers);
    const endS = (minutes * 60 * chapter) / chapters;
    let doing: Promise<void> | undefined;
    let failure: unknown;
    while (this.#nowS < endS || doing !== undefined) {
      const due = this.#due[0];
      if (doing === undefined && due !== undefined && this.#nowS >= due.at * minutes * 60) {
        this.#due.shift();
        doing = this.#do(due)
          .catch((error: unknown) => {
            failure = error;
          })
          .finally(() => {
            doing = undefined;
          });
      }
      await this.#sample();
      traffic.trim();
      await sleep(sampleMs);
    }
    await traffic.end();
    if (failure !== undefined) throw failure;
    await this.#audit(chapter, traffic.seen);
  }

  async #do({ deed }: Planned): Promise<void> {
    const atS = this.#nowS;
    await this.#deeds.do(deed);
    const tookS = this.#nowS - atS;
    this.#events.push({ atS, what: deed, tookS });
    this.#say(`${(atS / 60).toFixed(1)} min: ${deed}, served again after ${tookS.toFixed(1)} s`);
  }

  async #sample(): Promise<void> {
    const atS = this.#nowS;
    for (const [index, name] of NODE_NAMES.entries()) {
      const node = this.#site.nodes[index];
      if (node !== undefined) this.#samples.push(...(await sampleNode(name, node, atS)));
    }
    this.#others.look();
  }

  async #audit(chapter: number, traffic: readonly Seen[]): Promise<void> {
    const { database, simulator, nodes } = this.#site;
    await until(async () => (await Promise.all(nodes.map(isIdle))).every(Boolean), 300_000);
    const seen = [...traffic, ...this.#deeds.seen.splice(0)];
    const deathOf = ({ endedAt }: Seen): number =>
      this.#deeds.deaths.findLast((at) => at <= endedAt) ?? Number.POSITIVE_INFINITY;
    const result = await judge(database, simulator, { seen, sinceMs: this.#sinceMs }, deathOf);
    const refused = seen.filter(({ status }) => status !== 200).length;
    const all = this.#books;
    this.#books = {
      ...all,
      calls: all.calls + seen.length,
      finished: all.finished + result.finished,
      cut: all.cut + result.cut,
      refused: all.refused + refused,
      lost: all.lost + result.lost,
      // The doubled ones are counted over all of the books each time.
      doubled: result.doubled,
      problems: [...all.problems, ...result.problems],
    };
    this.#say(`chapter ${chapter}: ${seen.length} calls, ${result.lost} lost, ${result.doubled} doubled`);
    for (const problem of result.problems.slice(0, 5)) this.#say(problem);
    await simulator.forget();
    this.#sinceMs = Date.now();
  }

  /** Both nodes without a call: the least that they have open. */
  async #rest(): Promise<readonly SoakQuiet[]> {
    const looks: SoakQuiet[] = [];
    for (let waitedMs = 0; waitedMs < this.#plan.restMs; waitedMs += REST_LOOK_MS) {
      for (const [index, node] of NODE_NAMES.entries()) {
        const pid = this.#site.nodes[index]?.pid;
        if (pid !== undefined) looks.push({ node, pid, ...countHandles(pid) });
      }
      await sleep(REST_LOOK_MS);
    }
    const open = leastOpen(looks);
    const live = await Promise.all(NODE_NAMES.map((name, index) => this.#liveBytes(name, index)));
    return open.map((each) => ({ ...each, liveBytes: live[NODE_NAMES.indexOf(each.node as NodeName)] }));
  }

  async #liveBytes(name: NodeName, index: number): Promise<number | undefined> {
    const pid = this.#site.nodes[index]?.pid;
    return pid === undefined ? undefined : await liveBytes(pid, this.#site.heapFile(name));
  }

  async #closeBooks(): Promise<Pick<Books, 'shortfallMicro' | 'problems'>> {
    const { database, environment } = this.#site;
    const [row] = await database.query<{ short: bigint }>(
      'select coalesce(sum(shortfall_micro), 0)::bigint as short from consumptions',
    );
    const doctor = await tollgate(['doctor'], environment);
    const isClean = doctor.code === 0 && doctor.stdout.includes('no findings');
    const findings = isClean ? [] : [`doctor: ${doctor.stdout} ${doctor.stderr}`];
    return { shortfallMicro: String(row?.short ?? 0n), problems: [...this.#books.problems, ...findings] };
  }
}

/** Of nobody while PostgreSQL is away: then this process alone. */
function postmasterOf({ cluster }: Site): number {
  try {
    return Number(readFileSync(join(cluster, 'postmaster.pid'), 'utf8').split('\n')[0]);
  } catch {
    return process.pid;
  }
}
