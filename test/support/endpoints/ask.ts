import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import type { Sent } from './body.ts';
import type { EndpointCall, Form } from './table.ts';

/** Where a call goes, and whose it is. */
export interface Caller {
  readonly url: string;
  readonly key: string;
}

/** One call as its client saw it in the end. */
export interface Answered {
  /** 0: it had no answer. */
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** Every byte of a good answer came. */
  readonly isWhole: boolean;
}

/** A call on its way. */
export interface Asking {
  /** How many bytes of the answer have come so far. */
  bytes(): number;
  readonly ended: Promise<Answered>;
  /** The client goes away. */
  leave(): void;
}

/** Begins a call of the table; it never throws. */
export function beginCall(caller: Caller, call: EndpointCall, words: string, form?: Form): Asking {
  const chosen = form ?? call.forms[0] ?? 'plain';
  return beginRequest(caller, call.path(chosen), call.send(words, chosen));
}

export function askCall(caller: Caller, call: EndpointCall, words: string, form?: Form): Promise<Answered> {
  return beginCall(caller, call, words, form).ended;
}

const TYPICAL_HEADERS = { 'anthropic-version': '2023-06-01' };

export function beginRequest({ url, key }: Caller, path: string, { headers, body }: Sent): Asking {
  const outgoing = request(url + path, {
    method: 'POST',
    agent: false,
    headers: {
      ...(path.startsWith('/v1/messages') ? TYPICAL_HEADERS : {}),
      authorization: `Bearer ${key}`,
      'content-length': body.length,
      ...headers,
    },
  });
  let bytes = 0;
  const ended = new Promise<Answered>((resolve) => {
    const none = { status: 0, headers: {}, text: '', isWhole: false };
    outgoing.once('error', () => resolve(none));
    outgoing.once('response', (incoming: IncomingMessage) => {
      const pieces: Buffer[] = [];
      incoming.on('data', (piece: Buffer) => {
        bytes += piece.length;
        pieces.push(piece);
      });
      incoming.once('error', () => {});
      incoming.once('close', () => {
        const { statusCode: status = 0, headers: told, complete } = incoming;
        const text = Buffer.concat(pieces).toString();
        resolve({ status, headers: told, text, isWhole: complete && status === 200 });
      });
    });
  });
  outgoing.end(body);
  return { bytes: () => bytes, ended, leave: () => void outgoing.destroy() };
}

/** The code of our own in a refusal; nothing in an answer, and in an error of the vendor. */
export function codeOf({ text }: Answered): number | undefined {
  const [, code] = /^\{(?:"type":"error",)?"code":(\d{5}),/.exec(text) ?? [];
  return code === undefined ? undefined : Number(code);
}

/** What is wrong with the form of an error of ours for clients of this endpoint; nothing if it fits. */
export function malformedRefusal({ protocol }: EndpointCall, { text }: Answered): string | undefined {
  const body = objectIn(text);
  const { code, message, type } = body ?? {};
  const error = (body?.error ?? {}) as Record<string, unknown>;
  const isPlain = error.type === 'gateway_error' && error.code === String(code);
  // What a vendor would refuse for a member of the request has the vendor's fields.
  const isVendors = error.type === 'invalid_request_error' && typeof error.param === 'string';
  const isOurs = typeof code === 'number' && (isPlain || isVendors);
  if (!isOurs || typeof message !== 'string' || error.message !== message) return 'it has no form of ours';
  if (protocol === 'messages' && type !== 'error') return 'it is not that of Anthropic';
  if (protocol.startsWith('gemini') && typeof error.status !== 'string') return 'it is not that of Google';
  return undefined;
}

export function objectIn(text: string): Record<string, unknown> | undefined {
  try {
    const value = JSON.parse(text) as unknown;
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
