/** A path about the server itself: public, and no part of the tables of endpoints. */
export interface ServerRow {
  readonly path: string;
  readonly id: string;
  readonly title: string;
  /** The content type of the answer. */
  readonly type: string;
  readonly note: string;
}

export const SERVER_TAG = { name: 'Server', description: 'Public information about the server.' } as const;

const TEXT = 'text/plain; charset=utf-8';
export const SERVER_ROWS: readonly ServerRow[] = [
  {
    path: '/healthz',
    id: 'getHealth',
    title: 'Get health',
    type: TEXT,
    note: 'The process is running.',
  },
  {
    path: '/readyz',
    id: 'getReadiness',
    title: 'Get readiness',
    type: TEXT,
    note: '200 if calls can be served. Otherwise 503, and the text says why.',
  },
  {
    path: '/openapi.json',
    id: 'getApiDocument',
    title: 'Get this document',
    type: 'application/json',
    note: 'OpenAPI 3.1.',
  },
  {
    path: '/docs',
    id: 'getReference',
    title: 'Get the API reference',
    type: 'text/html; charset=utf-8',
    note: 'This page.',
  },
];
