/** The event loop of a node: what is ready is done in a turn, and what it says to Redis leaves together. */
import type { Process } from './machine.ts';
import type { Timeline } from './timeline.ts';

/** One operation of the gate: an entry or an end, of an account or a credential. */
export interface GateOperation {
  /** All that is counted of one account, or of one credential, is in one place. */
  readonly key: number;
  readonly workMs: number;
  readonly done: () => void;
}

/** Operations of one turn that are one script call. */
export interface GateTrip {
  readonly shard: number;
  readonly operations: readonly GateOperation[];
}

/** One server takes what a turn has together; a cluster takes the operations of each key apart (ADR 15). */
export type GateKind = 'server' | 'cluster';

export interface Gate {
  readonly kind: GateKind;
  readonly shards: readonly Process[];
  readonly nodeTurnMs: number;
  /** Of a script call, besides its operations: at the node, and at Redis. */
  readonly nodeTripMs: number;
  readonly redisTripMs: number;
  /** One way. */
  readonly networkMs: number;
}

interface Task {
  readonly workMs: number;
  readonly done: () => void;
}

/** A script call has no more (GATE_OPERATIONS_PER_RUN). */
const OPERATIONS_PER_TRIP = 16;

export class EventLoop {
  readonly #timeline: Timeline;
  readonly #process: Process;
  readonly #gate: Gate;
  #ready: Task[] = [];
  #said: GateOperation[] = [];
  #isTurning = false;
  #trips = 0;

  constructor(timeline: Timeline, process: Process, gate: Gate) {
    this.#timeline = timeline;
    this.#process = process;
    this.#gate = gate;
  }

  get trips(): number {
    return this.#trips;
  }

  do(workMs: number, done: () => void): void {
    this.#ready.push({ workMs, done });
    if (!this.#isTurning) this.#turn();
  }

  /** Goes out at the end of this turn. */
  ask(operation: GateOperation): void {
    this.#said.push(operation);
  }

  #turn(): void {
    this.#isTurning = true;
    const tasks = this.#ready;
    this.#ready = [];
    tasks.forEach(({ workMs, done }, index) => {
      this.#process.run(workMs, () => {
        done();
        if (index === tasks.length - 1) this.#endTurn();
      });
    });
  }

  #endTurn(): void {
    const trips = tripsOf(this.#said, this.#gate);
    this.#said = [];
    this.#trips += trips.length;
    const { nodeTurnMs, nodeTripMs } = this.#gate;
    // Half of what it costs is spent before it leaves, the other half when the answers come.
    for (const [index, trip] of trips.entries()) {
      const halfMs = (nodeTripMs + (index === 0 ? nodeTurnMs : 0)) / 2;
      this.#process.run(halfMs, () => this.#travel(trip, halfMs));
    }
    if (this.#ready.length > 0) this.#turn();
    else this.#isTurning = false;
  }

  #travel({ shard, operations }: GateTrip, answerMs: number): void {
    const { networkMs, shards, redisTripMs } = this.#gate;
    const workMs = operations.reduce((sum, operation) => sum + operation.workMs, redisTripMs);
    this.#timeline.after(networkMs, () => {
      shards[shard]?.run(workMs, () => {
        this.#timeline.after(networkMs, () => {
          this.do(answerMs, () => {
            for (const { done } of operations) done();
          });
        });
      });
    });
  }
}

export function tripsOf(
  operations: readonly GateOperation[],
  { kind, shards }: Pick<Gate, 'kind'> & { readonly shards: { readonly length: number } },
): readonly GateTrip[] {
  const groups = new Map<number, { readonly shard: number; readonly operations: GateOperation[] }[]>();
  for (const operation of operations) {
    const shard = operation.key % shards.length;
    const name = kind === 'server' ? shard : operation.key;
    const own = groups.get(name) ?? [];
    const last = own.at(-1);
    if (last === undefined || last.operations.length === OPERATIONS_PER_TRIP) {
      own.push({ shard, operations: [operation] });
    } else last.operations.push(operation);
    groups.set(name, own);
  }
  return [...groups.values()].flat();
}
