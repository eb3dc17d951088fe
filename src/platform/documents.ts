import type { ServerResponse } from 'node:http';
import { createDocsPage } from './docs-page.ts';
import type { Endpoint } from './endpoint.ts';
import { type Addressee, guardHeaders } from './envelope.ts';
import { createDocument } from './openapi.ts';

/** One document about the API, made when it is first asked for and then kept. */
export type SendDocument = (to: Addressee) => void;

/** By path. The table does not change while the process lives, so neither do they. */
export function createDocuments(rows: readonly Endpoint[]): ReadonlyMap<string, SendDocument> {
  let json: string | undefined;
  let page: ReturnType<typeof createDocsPage> | undefined;
  const document = (): ReturnType<typeof createDocument> => createDocument(rows);
  return new Map<string, SendDocument>([
    [
      '/openapi.json',
      (to) => {
        json ??= JSON.stringify(document());
        send(to, json, { 'content-type': 'application/json; charset=utf-8' });
      },
    ],
    [
      '/docs',
      (to) => {
        page ??= createDocsPage(document());
        send(to, page.html, {
          'content-type': 'text/html; charset=utf-8',
          'content-security-policy': page.contentSecurityPolicy,
          'referrer-policy': 'no-referrer',
        });
      },
    ],
  ]);
}

function send(
  { response, requestId }: { readonly response: ServerResponse; readonly requestId: string },
  body: string,
  headers: Readonly<Record<string, string>>,
): void {
  response.writeHead(200, {
    ...guardHeaders(requestId),
    // The next version of the server may say something else.
    'cache-control': 'no-cache',
    'content-length': Buffer.byteLength(body),
    ...headers,
  });
  response.end(body);
}
