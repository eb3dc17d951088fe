import type { IncomingHttpHeaders } from 'node:http';
import type { Frame, Framing } from './answer/frame.ts';
import type { Plan } from './answer/plan.ts';
import type { Wire } from './cloud/visit.ts';
import type { Vendor } from './models.ts';
import type { Ask, Reply } from './request/ask.ts';

/** A request that has a known path and a valid key. */
export interface VendorRequest {
  readonly headers: IncomingHttpHeaders;
  readonly path: string;
  readonly query: URLSearchParams;
  /** Google names the model in the path. */
  readonly pathModel: string;
  readonly body: Buffer;
  readonly key: string;
  /** How a cloud frames the stream of another vendor's model. */
  readonly wire?: Wire | undefined;
}

/** One protocol of one vendor. The server does the rest the same way for all of them. */
export interface Dialect {
  readonly vendor: Vendor;
  /** The vendor's answer to a wrong request, or what a right one asks for. */
  examine(request: VendorRequest): Ask | Reply;
  newAnswerId(): string;
  plain(plan: Plan): string;
  frames(plan: Plan): Iterable<Frame>;
  framing(request: VendorRequest): Framing;
  /** Headers of every answer. */
  headers(plan: Plan): Readonly<Record<string, string>>;
  /** An HTTP error in the vendor's shape. */
  failure(status: number, message: string): Reply;
  /** An error inside of a stream that has begun. */
  failureFrame(message: string): Frame;
}
