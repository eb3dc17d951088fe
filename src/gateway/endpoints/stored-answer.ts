import type { ServerResponse } from 'node:http';
import { PAGE_SIZE_MAX } from '../../bounds.ts';
import { ERRORS, type Refusal, refuse } from '../../kernel/errors.ts';
import type { Protocol } from '../../kernel/protocol-name.ts';
import type { ListQuery } from '../../protocol/responses/stored/item-list.ts';
import { ownHeaders } from '../answer/answer.ts';

const PAGE_SIZE = 20;

interface Answering {
  readonly response: ServerResponse;
  readonly requestId: string;
  readonly protocol: Protocol;
}

/** Answers with stored JSON. */
export function sendStored({ response, requestId, protocol }: Answering, body: string | Buffer): undefined {
  response.writeHead(200, [
    'content-type',
    'application/json; charset=utf-8',
    'content-length',
    String(Buffer.byteLength(body)),
    ...ownHeaders(requestId, protocol),
  ]);
  response.end(body);
}

/** `limit`, `order` and `after` of a list. */
export function readListQuery(asked: URLSearchParams): ListQuery | Refusal {
  const limit = asked.get('limit') ?? String(PAGE_SIZE);
  const order = asked.get('order') ?? 'desc';
  if (!/^\d{1,3}$/.test(limit) || Number(limit) < 1 || Number(limit) > PAGE_SIZE_MAX) {
    return wrong('limit', `must be a whole number from 1 to ${PAGE_SIZE_MAX}`);
  }
  if (order !== 'asc' && order !== 'desc') return wrong('order', 'must be "asc" or "desc"');
  return { limit: Number(limit), order, after: asked.get('after') ?? undefined };
}

export function wrong(param: string, what: string): Refusal {
  return refuse('notExpressible', {
    message: `Invalid '${param}': it ${what}.`,
    vendorFields: { type: 'invalid_request_error', param, code: 'invalid_value' },
  });
}

/**
 * The account has no such object. The vendor's own text: its clients use it to tell a missing response from a
 * wrong address.
 */
export function unknown(message: string): Refusal {
  const code = String(ERRORS.objectUnknown.code);
  return refuse('objectUnknown', {
    message,
    vendorFields: { type: 'invalid_request_error', param: null, code },
  });
}
