import { CONVERSATION_VALUE_BYTES_MAX } from '../../bounds.ts';
import { type LentBytes, ownCopy } from '../../kernel/encoding/lent-bytes.ts';
import type { BodyEnd, StreamRelay, StreamUsage } from '../../protocol/dialect.ts';

/** A relay of a Responses stream that also hands out the final events. */
export class CapturingRelay implements StreamRelay {
  readonly #relay: StreamRelay;
  readonly #onEnd: (events: Buffer) => void;
  #concluded = false;

  constructor(relay: StreamRelay, onEnd: (events: Buffer) => void) {
    this.#relay = relay;
    this.#onEnd = onEnd;
  }

  push(chunk: LentBytes): LentBytes | undefined {
    const bytes = this.#relay.push(chunk);
    // Only the push with the terminator is looked at: earlier events are not needed.
    if (this.#relay.concluded && !this.#concluded) this.#look(bytes);
    return bytes;
  }

  finish(how?: BodyEnd): { readonly rest: Buffer | undefined; readonly complete: boolean } {
    const end = this.#relay.finish(how);
    if (end.complete && !this.#concluded) this.#look(end.rest);
    return end;
  }

  #look(bytes: LentBytes | undefined): void {
    this.#concluded = true;
    const isKept = bytes !== undefined && bytes.length <= CONVERSATION_VALUE_BYTES_MAX;
    if (isKept && !this.#relay.failed) this.#onEnd(ownCopy(bytes));
  }

  get first(): StreamRelay['first'] {
    return this.#relay.first;
  }

  get firstError(): string | undefined {
    return this.#relay.firstError;
  }

  get failed(): boolean {
    return this.#relay.failed;
  }

  get terminated(): boolean {
    return this.#relay.terminated;
  }

  get concluded(): boolean {
    return this.#relay.concluded;
  }

  get ended(): boolean {
    return this.#relay.ended;
  }

  get generatedEvents(): number {
    return this.#relay.generatedEvents;
  }

  get reasoned(): boolean {
    return this.#relay.reasoned;
  }

  get reported(): boolean {
    return this.#relay.reported;
  }

  get heldBytes(): number {
    return this.#relay.heldBytes;
  }

  get broken(): boolean {
    return this.#relay.broken;
  }

  get overflowed(): boolean {
    return this.#relay.overflowed;
  }

  get atBoundary(): boolean {
    return this.#relay.atBoundary;
  }

  get nextSequenceNumber(): number | undefined {
    return this.#relay.nextSequenceNumber;
  }

  usage(): StreamUsage {
    return this.#relay.usage();
  }
}
