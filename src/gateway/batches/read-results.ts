import type { JobResult } from '../../jobs/contract.ts';
import type { LentBytes } from '../../kernel/encoding/lent-bytes.ts';
import type { Protocol } from '../../kernel/protocol-name.ts';
import { addUsage, NO_USAGE } from '../../kernel/usage.ts';
import { RESULT_BYTES_MAX } from '../../protocol/batches/bounds.ts';
import { LineSplitter } from '../../protocol/batches/lines.ts';
import { readResult } from '../../protocol/batches/result.ts';
import type {
  UpstreamClient,
  UpstreamExchange,
  UpstreamHandler,
  UpstreamHead,
} from '../../upstream/contract.ts';
import type { VendorAddress } from '../../upstream/vendor.ts';
import type { ContentChange } from '../jobs/content-relay.ts';
import { RESULTS_READ_MS, RESULTS_TIMEOUTS } from './bounds.ts';

/** Lines as the client gets them: with the platform's name of the model in each. */
export class LinesChange implements ContentChange {
  readonly #lines: LineSplitter;
  #made: Buffer[] = [];

  constructor(change: (line: Buffer) => readonly Buffer[]) {
    this.#lines = new LineSplitter(RESULT_BYTES_MAX, {
      line: (line, end) => this.#made.push(...change(line), Buffer.from(end)),
      part: (bytes) => this.#made.push(bytes),
    });
  }

  push(chunk: LentBytes): Buffer {
    this.#lines.push(chunk);
    return this.#take();
  }

  finish(): Buffer {
    this.#lines.finish();
    return this.#take();
  }

  #take(): Buffer {
    const made = Buffer.concat(this.#made);
    this.#made = [];
    return made;
  }
}

/** Adds up what the items of a batch used. `unknown`: the results could not be read to their end. */
export function meterResults(
  client: UpstreamClient,
  address: VendorAddress,
  protocol: Protocol,
): Promise<JobResult | 'unknown'> {
  return new Promise((resolve) => {
    const meter = new ResultsMeter(protocol, resolve);
    meter.attach(client.send({ ...address, method: 'GET', body: [], timeouts: RESULTS_TIMEOUTS }, meter));
  });
}

class ResultsMeter implements UpstreamHandler {
  readonly #resolve: (result: JobResult | 'unknown') => void;
  readonly #timer: NodeJS.Timeout;
  readonly #lines: LineSplitter;
  #exchange: UpstreamExchange | undefined;
  #head: UpstreamHead | undefined;
  #usage = NO_USAGE;
  #estimated = false;

  constructor(protocol: Protocol, resolve: (result: JobResult | 'unknown') => void) {
    this.#resolve = resolve;
    this.#timer = setTimeout(() => this.#giveUp(), RESULTS_READ_MS);
    this.#lines = new LineSplitter(RESULT_BYTES_MAX, {
      line: (line) => {
        const { usage, estimated } = readResult(line, protocol, '');
        this.#usage = addUsage(this.#usage, usage);
        this.#estimated ||= estimated;
      },
      // What a line of such a length used is not known, so nothing is charged for it.
      part: () => {
        this.#estimated = true;
      },
    });
  }

  attach(exchange: UpstreamExchange): void {
    this.#exchange = exchange;
  }

  onHead(head: UpstreamHead): void {
    this.#head = head;
    if (head.status !== 200) this.#giveUp();
  }

  onData(chunk: LentBytes): void {
    if (this.#head?.status === 200) this.#lines.push(chunk);
  }

  /** What ended with its connection may be a part. */
  onEnd(): void {
    if (this.#head?.status !== 200 || this.#head.bodyEnd === 'closed') {
      this.#finish('unknown');
      return;
    }
    this.#lines.finish();
    this.#finish({ usage: this.#usage, estimated: this.#estimated });
  }

  onFailure(): void {
    this.#finish('unknown');
  }

  #giveUp(): void {
    this.#exchange?.abort();
    this.#finish('unknown');
  }

  #finish(result: JobResult | 'unknown'): void {
    clearTimeout(this.#timer);
    this.#resolve(result);
  }
}
