import type { EndpointRow } from './row.ts';
import { BATCH_ROWS } from './rows/batches.ts';
import { MEDIA_ROWS } from './rows/media.ts';
import { MODEL_ROWS } from './rows/models.ts';
import { RESPONSE_ROWS } from './rows/responses.ts';
import { TEXT_ROWS } from './rows/text.ts';

export { ENDPOINT_TAGS, type EndpointDocument, type EndpointRow } from './row.ts';

/** Everything that the gateway serves. The name of a row is its operation id, written down once. */
export const ENDPOINTS = {
  ...TEXT_ROWS,
  ...RESPONSE_ROWS,
  ...MEDIA_ROWS,
  ...BATCH_ROWS,
  ...MODEL_ROWS,
} as const satisfies Readonly<Record<string, EndpointRow>>;

export type EndpointId = keyof typeof ENDPOINTS;

type IdsWith<Member extends 'call' | 'counts'> = {
  [Id in EndpointId]: (typeof ENDPOINTS)[Id] extends { readonly [Key in Member]: unknown } ? Id : never;
}[EndpointId];

/** Endpoints that create something and are billed. */
export type CallId = IdsWith<'call'>;
/** Endpoints that count the tokens of a request. */
export type CountId = IdsWith<'counts'>;
/** Endpoints about what an account has: its models, files, jobs, responses and conversations. */
export type ObjectId = Exclude<EndpointId, CallId | CountId>;

/** All rows with their names, as the compiler does not know them apart. */
export const ENDPOINT_ROWS: readonly (readonly [EndpointId, EndpointRow])[] = Object.entries(
  ENDPOINTS,
) as unknown as readonly (readonly [EndpointId, EndpointRow])[];
