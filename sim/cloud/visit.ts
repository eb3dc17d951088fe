import type { IncomingHttpHeaders } from 'node:http';
import type { Framing } from '../answer/frame.ts';
import type { Encoder } from '../answer/send.ts';
import type { Keys } from '../authorize.ts';
import type { Reply } from '../request/ask.ts';
import type { CloudState } from './state.ts';

/** A request at the door of a cloud. */
export interface Visitor {
  readonly method: string;
  readonly url: URL;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** The request as the maker of the model would have got it, and what of the answer differs. */
export interface Visit extends Visitor {
  readonly kind: 'visit';
  readonly wire?: Wire;
  /** Errors in the cloud's own form. */
  readonly refuse?: (reply: Reply) => Reply;
}

/** Another framing of streams. */
export interface Wire {
  readonly framing: Framing;
  readonly encoder: Encoder;
}

export interface CloudWorld {
  readonly keys: Keys;
  readonly clouds: CloudState;
  readonly nowMs: number;
}

export type Cloud = (visitor: Visitor, world: CloudWorld) => Visit | Reply;

export function jsonReply(status: number, value: unknown, headers: Record<string, string> = {}): Reply {
  return {
    kind: 'reply',
    status,
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(value),
  };
}

/** The members of a body. `undefined`: it is not a JSON object. */
export function readMembers(body: Buffer): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'));
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

export function bearerOf({ headers }: Visitor): string {
  return /^Bearer (.{1,4000})$/.exec(headers.authorization ?? '')?.[1] ?? '';
}
