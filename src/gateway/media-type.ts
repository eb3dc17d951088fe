import { type Refusal, refuse } from '../kernel/errors.ts';
import type { Endpoint } from './endpoints.ts';

/** Bodies are JSON; image edits may also come as multipart forms. A client that names no type means JSON. */
export function checkMediaType(endpoint: Endpoint, contentType: string | undefined): Refusal | undefined {
  if (contentType === 'application/json') return undefined;
  const type = (contentType ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (type === '' || type === 'application/json' || type.endsWith('+json')) return undefined;
  if (type === 'multipart/form-data' && endpoint.protocol === 'images') return undefined;
  const shown = type.slice(0, 100).replace(/[^\x21-\x7e]/g, '?');
  return refuse('mediaTypeUnsupported', {
    message: `The content type "${shown}" is not supported; send application/json`,
  });
}
