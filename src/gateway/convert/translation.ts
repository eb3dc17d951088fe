import type { IncomingHttpHeaders } from 'node:http';
import type { Protocol } from '../../kernel/protocol-name.ts';
import type { Outline } from '../../protocol/bytes/outline.ts';
import type { Framing, PlainAnswer, StreamRelay } from '../../protocol/dialect.ts';
import type { UpstreamHead } from '../../upstream/contract.ts';
import type { VendorAction } from '../../upstream/vendor.ts';

/**
 * How one route is spoken with. Either the vendor speaks the client's protocol and the bytes pass untouched
 * (pass-through.ts), or request and answer are converted (converted.ts). The attempt does not know which.
 */
export interface Translation {
  /** What is spoken with the vendor. */
  readonly protocol: Protocol;
  readonly action: VendorAction;
  readonly body: readonly Buffer[];
  readonly contentType: string;
  /** Of the client, where they mean something to the vendor. */
  readonly clientHeaders: IncomingHttpHeaders;
  /** What is asked in the address, without its question mark; nothing in it is the client's own text. */
  readonly query: string;
  /** The lower output bound that the vendor was given because of money; nothing: the client's own. */
  readonly outputLimit: number | undefined;
  /** What the client said and the vendor will not hear. */
  readonly dropped: readonly string[];
  /** How the vendor streams, by the head of its answer; nothing: it does not. */
  framingOf(head: UpstreamHead): Framing | undefined;
  /** How the client is streamed to, when the vendor streams like this. */
  clientFraming(framing: Framing): Framing;
  relay(framing: Framing): StreamRelay;
  /** A large body comes with its outline; to convert it takes several turns. */
  readAnswer(body: Buffer, outline: Outline | undefined): PlainAnswer | Promise<PlainAnswer>;
  /** Headers of the vendor's answer that the client may see, its content type among them. */
  answerHeaders(head: UpstreamHead): string[];
  /** The answer has passed: what the client cannot carry until its next request is kept here. */
  remember(): void;
}
