/** What settling costs: the very function that the server uses, on databases of several sizes. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { newCallId } from '../../src/kernel/id.ts';
import { type Random, seededRandom } from '../../src/kernel/random.ts';
import { createCalendar } from '../../src/kernel/time/calendar.ts';
import type { CallRecord } from '../../src/ledger/contract.ts';
import type { Database } from '../../src/store/database.ts';
import { createLedgerStore } from '../../src/store/ledger/ledger.ts';
import { familyOf, listProcesses, usageOf } from '../measure.ts';
import { FILLED_TO_MS } from './fill.ts';

export interface Cost {
  /** Microseconds of one call: processor time of this process and of PostgreSQL, and time on the clock. */
  readonly tollgateUs: number;
  readonly databaseUs: number;
  readonly clockUs: number;
}

const LIST_PRICE = 100_000_000n;
const PRICE = {
  prices: {
    inputMicro: 10_000_000n,
    outputMicro: 30_000_000n,
    cacheInputMicro: 1_000_000n,
    cacheOutputMicro: undefined,
    cacheWriteMicro: undefined,
    imageMicro: 0n,
    videoMicro: 0n,
  },
  rates: {
    rateMultiplierMicro: 1_000_000n,
    systemMicro: LIST_PRICE,
    userMicro: LIST_PRICE,
    vendorMicro: LIST_PRICE,
    credentialMicro: LIST_PRICE,
    nodeMicro: LIST_PRICE,
  },
};

/** What is settled at once. */
export interface Draw {
  readonly batch: number;
  /** `apart`: each call of a batch is of another account. There are at least as many of them. */
  readonly draw: 'random' | 'apart';
}

/** Settles random calls of its accounts, in the order of their time, on the database it was made for. */
export class SettleLoad {
  readonly #accounts: number;
  readonly #dataFolder: string;
  readonly #random: Random = seededRandom(20_261_115);
  readonly #ledger: ReturnType<typeof createLedgerStore>;
  #nowMs = FILLED_TO_MS;

  constructor(database: Database, accounts: number, dataFolder: string) {
    this.#accounts = accounts;
    this.#dataFolder = dataFolder;
    this.#ledger = createLedgerStore({ database, creditsPerYuan: 1_000, calendar: createCalendar('UTC') });
  }

  /** One call of each account: who calls the first time in an hour or on a day is a row more. */
  async meetAll(batch: number): Promise<void> {
    for (let first = 1; first <= this.#accounts; first += batch) {
      const size = Math.min(batch, this.#accounts - first + 1);
      await this.#ledger.settle(Array.from({ length: size }, (_, index) => this.#callOf(first + index)));
    }
  }

  async measure(calls: number, { batch, draw }: Draw): Promise<Cost> {
    const batches = Array.from({ length: calls / batch }, () =>
      draw === 'random' ? this.#batchOf(batch) : this.#apart(batch),
    );
    const databaseMs = this.#databaseMs();
    const own = process.cpuUsage();
    const begunMs = performance.now();
    for (const each of batches) await this.#ledger.settle(each);
    const clockMs = performance.now() - begunMs;
    const { user, system } = process.cpuUsage(own);
    return {
      tollgateUs: (user + system) / calls,
      databaseUs: ((this.#databaseMs() - databaseMs) * 1_000) / calls,
      clockUs: (clockMs * 1_000) / calls,
    };
  }

  #batchOf(size: number): readonly CallRecord[] {
    return Array.from({ length: size }, () => this.#callOf(this.#anyone()));
  }

  /** Each call of another account. */
  #apart(size: number): readonly CallRecord[] {
    const accounts = new Set<number>();
    while (accounts.size < size) accounts.add(this.#anyone());
    return [...accounts].map((accountId) => this.#callOf(accountId));
  }

  #anyone(): number {
    return 1 + Math.floor(this.#random.unit() * this.#accounts);
  }

  #callOf(accountId: number): CallRecord {
    this.#nowMs += 1;
    return { ...CALL, callId: newCallId(this.#nowMs), createdAtMs: this.#nowMs, accountId, keyId: accountId };
  }

  /** The server of the benchmark and nothing else: its own file tells its number. */
  #databaseMs(): number {
    const file = join(this.#dataFolder, 'postgres', 'postmaster.pid');
    if (!existsSync(file)) throw new Error('the database of the benchmark does not run');
    const pid = Number(readFileSync(file, 'utf8').split('\n')[0]);
    return usageOf(familyOf([pid], listProcesses())).cpuMs;
  }
}

const CALL: CallRecord = {
  callId: '',
  createdAtMs: 0,
  accountId: 0,
  keyId: 0,
  keyName: 'bench',
  modelAsked: 'gpt-5',
  modelUsed: 'gpt-5',
  routeId: 1,
  vendor: 'openai',
  protocolIn: 'chat',
  protocolOut: 'chat',
  stream: true,
  status: 200,
  errorCode: null,
  usage: {
    inputFresh: 1_000,
    cacheRead: 0,
    cacheWrite: 0,
    outputText: 500,
    outputReasoning: 0,
    images: 0,
    videos: 0,
  },
  estimated: false,
  payer: 'credits',
  price: PRICE,
  amountMicro: 25_000n,
  chargeMicro: 25_000_000n,
  freeReason: null,
  verdict: 'complete',
  attempts: [{ routeId: 1, vendor: 'openai', credential: 'main', outcome: 'ok', durationMs: 280 }],
  heldMicro: 50_000_000n,
  ttfbMs: 20,
  durationMs: 300,
  droppedFields: [],
  windows: [],
};
