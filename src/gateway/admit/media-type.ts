import { type Refusal, refuse } from '../../kernel/errors.ts';
import type { Protocol } from '../../kernel/protocol-name.ts';
import { isUtf8Type, readParameters } from '../../protocol/bytes/parameters.ts';
import type { Endpoint } from '../endpoints/find.ts';

/** The protocols whose requests may be forms. */
const FORMS: ReadonlySet<Protocol> = new Set(['images', 'transcriptions', 'videos']);

/**
 * Bodies are JSON in UTF-8. Images, sound and videos may be multipart forms. A missing content type means
 * JSON. Other parameters of the content type are not forwarded: vendors get the plain type.
 */
export function checkMediaType(endpoint: Endpoint, contentType: string | undefined): Refusal | undefined {
  if (contentType === 'application/json' || contentType === undefined || contentType === '') return undefined;
  const type = readParameters(contentType);
  const printable = contentType.slice(0, 100).replace(/[^\x20-\x7e]/g, '?');
  const refusal = (why: string): Refusal =>
    refuse('mediaTypeUnsupported', { message: `The content type ${JSON.stringify(printable)} ${why}` });
  const value = type?.value ?? contentType.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  // The form's boundary is checked where the form is read.
  if (value === 'multipart/form-data' && FORMS.has(endpoint.protocol)) return undefined;
  if (value !== 'application/json' && !value.endsWith('+json')) {
    return refusal('is not supported; send application/json');
  }
  if (type === undefined) return refusal('is not well formed; send application/json');
  return isUtf8Type(type) ? undefined : refusal('is not supported: JSON is UTF-8');
}
