import { type Refusal, refuse } from '../../kernel/errors.ts';
import { isUtf8Type, readParameters } from '../../protocol/bytes/parameters.ts';
import type { Endpoint } from '../endpoints/endpoints.ts';

/**
 * Bodies are JSON in UTF-8; image edits may also come as multipart forms. A client that names no type means
 * JSON. What it says beyond that goes no further: vendors are told the plain type.
 */
export function checkMediaType(endpoint: Endpoint, contentType: string | undefined): Refusal | undefined {
  if (contentType === 'application/json' || contentType === undefined || contentType === '') return undefined;
  const type = readParameters(contentType);
  const shown = contentType.slice(0, 100).replace(/[^\x20-\x7e]/g, '?');
  const refusal = (why: string): Refusal =>
    refuse('mediaTypeUnsupported', { message: `The content type ${JSON.stringify(shown)} ${why}` });
  const value = type?.value ?? contentType.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  // Whether a form names its boundary in the strict form is asked where it is read.
  if (value === 'multipart/form-data' && endpoint.protocol === 'images') return undefined;
  if (value !== 'application/json' && !value.endsWith('+json')) {
    return refusal('is not supported; send application/json');
  }
  if (type === undefined) return refusal('is not well formed; send application/json');
  return isUtf8Type(type) ? undefined : refusal('is not supported: JSON is UTF-8');
}
