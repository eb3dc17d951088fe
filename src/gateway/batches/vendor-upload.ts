import type { BodySink, StreamedBody, UpstreamClient } from '../../upstream/contract.ts';
import { type AskReply, ask } from '../../upstream/http/ask.ts';
import { addressVendor } from '../../upstream/vendor.ts';
import { JOB_ANSWER_BYTES_MAX } from '../jobs/bounds.ts';
import type { JobCredential } from '../jobs/job-credential.ts';
import { UPLOAD_MS_MAX, UPLOAD_TIMEOUTS } from './bounds.ts';

/** A form on its way to a vendor. Who writes waits until the vendor takes more. */
export class VendorUpload implements StreamedBody {
  readonly answer: Promise<AskReply>;
  #sink: BodySink | undefined;
  #isOver = false;
  readonly #aborted = new AbortController();
  #moved = Promise.withResolvers<void>();

  constructor(client: UpstreamClient, { vendor, credential }: JobCredential, contentType: string) {
    const address = addressVendor({
      route: { vendor, credential, forwardModelId: '' },
      ...{ protocol: 'chat', action: 'file', clientHeaders: {}, contentType, query: '' },
    });
    const request = { ...address, method: 'POST', body: [], streamed: this } as const;
    const { signal } = this.#aborted;
    const waits = { waitMs: UPLOAD_MS_MAX, timeouts: UPLOAD_TIMEOUTS };
    this.answer = ask(client, request, { ...waits, bytesMax: JOB_ANSWER_BYTES_MAX, signal }).finally(() => {
      this.#isOver = true;
      this.onDrain();
    });
  }

  /** The vendor has answered, or cannot be reached: nothing more is sent. */
  get isOver(): boolean {
    return this.#isOver;
  }

  begin(sink: BodySink): void {
    this.#sink = sink;
    this.onDrain();
  }

  onDrain(): void {
    const { resolve } = this.#moved;
    this.#moved = Promise.withResolvers();
    resolve();
  }

  async write(bytes: Buffer): Promise<void> {
    while (this.#sink === undefined && !this.#isOver) await this.#moved.promise;
    if (this.#isOver) return;
    const moved = this.#moved.promise;
    if (this.#sink?.write(bytes) === false) await moved;
  }

  /** The connection is closed, and the vendor has no whole form. */
  abort(): void {
    this.#aborted.abort();
  }

  end(): void {
    this.#sink?.end();
  }
}
