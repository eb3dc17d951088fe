import type { IncomingHttpHeaders } from 'node:http';
import type { Protocol } from '../../kernel/protocol-name.ts';
import type { Outline } from '../../protocol/bytes/outline.ts';
import type { Framing, PlainAnswer, StreamRelay } from '../../protocol/dialect.ts';
import type { UpstreamHead, VendorAction } from '../../upstream/contract.ts';

/**
 * How one route is used. Either the vendor uses the client's protocol and the bytes pass unchanged
 * (pass-through.ts), or request and answer are converted (converted.ts). The attempt does not know which.
 */
export interface Translation {
  /** The vendor's protocol. */
  readonly protocol: Protocol;
  readonly action: VendorAction;
  readonly body: readonly Buffer[];
  readonly contentType: string;
  /** Headers of the client that mean something to the vendor. */
  readonly clientHeaders: IncomingHttpHeaders;
  /** The query string without its `?`. It contains no text of the client. */
  readonly query: string;
  /** The lower output limit that the vendor got because of money. `undefined`: the client's own limit. */
  readonly outputLimit: number | undefined;
  /** Fields of the client's request that the vendor does not get. */
  readonly dropped: readonly string[];
  /** The vendor's stream format, by the head of its answer. `undefined`: it does not stream. */
  findFraming(head: UpstreamHead): Framing | undefined;
  /** The client's stream format, if the vendor streams in this one. */
  clientFraming(framing: Framing): Framing;
  relay(framing: Framing): StreamRelay;
  /** A large body comes with its outline. Converting it takes several turns. */
  readAnswer(body: Buffer, outline: Outline | undefined): PlainAnswer | Promise<PlainAnswer>;
  /** Headers of the vendor's answer that the client may see, including its content type. */
  answerHeaders(head: UpstreamHead): string[];
  /** The answer has passed: stores what the client cannot keep until its next request. */
  save(): void;
}
