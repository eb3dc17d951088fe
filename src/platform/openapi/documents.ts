import type { IncomingMessage } from 'node:http';
import type { Operation } from '../../operations/operation.ts';
import { type Addressee, guardHeaders } from '../http/envelope.ts';
import { createDocument } from './openapi.ts';
import {
  loadProgram,
  PROGRAM_PATH,
  REFERENCE_PAGE,
  REFERENCE_POLICY,
  START,
  START_PATH,
} from './reference.ts';

export interface Asked extends Addressee {
  readonly request: IncomingMessage;
}

/** One document about the API. */
export type SendDocument = (asked: Asked) => void | Promise<void>;

/** For files with a version in the name. */
const FOR_EVER = 'public, max-age=31536000, immutable';
const JAVASCRIPT = 'text/javascript; charset=utf-8';

/** By path. The table does not change while the process runs, so the documents do not either. */
export function createDocuments(rows: readonly Operation[]): ReadonlyMap<string, SendDocument> {
  let json: string | undefined;
  return new Map<string, SendDocument>([
    [
      '/openapi.json',
      (asked) => {
        json ??= JSON.stringify(createDocument(rows));
        send(asked, json, { 'content-type': 'application/json; charset=utf-8' });
      },
    ],
    [
      '/docs',
      (asked) =>
        send(asked, REFERENCE_PAGE, {
          'content-type': 'text/html; charset=utf-8',
          'content-security-policy': REFERENCE_POLICY,
          'referrer-policy': 'no-referrer',
        }),
    ],
    [START_PATH, (asked) => send(asked, START, { 'content-type': JAVASCRIPT, 'cache-control': FOR_EVER })],
    [PROGRAM_PATH, sendProgram],
  ]);
}

async function sendProgram(asked: Asked): Promise<void> {
  const { headers } = asked.request;
  const { bytes, encoding, etag } = await loadProgram(headers);
  const told = { etag, 'cache-control': FOR_EVER };
  // In addition to a `Vary` that the server may have set for origins.
  asked.response.appendHeader('vary', 'accept-encoding');
  if (headers['if-none-match'] === etag) {
    asked.response.writeHead(304, { ...guardHeaders(asked.requestId), ...told }).end();
    return;
  }
  const coded = encoding === undefined ? {} : { 'content-encoding': encoding };
  send(asked, bytes, { 'content-type': JAVASCRIPT, ...told, ...coded });
}

function send(
  { response, requestId }: Addressee,
  body: string | Buffer,
  headers: Readonly<Record<string, string>>,
): void {
  response.writeHead(200, {
    ...guardHeaders(requestId),
    // The next version of the server may have another document.
    'cache-control': 'no-cache',
    'content-length': Buffer.byteLength(body),
    ...headers,
  });
  response.end(body);
}
