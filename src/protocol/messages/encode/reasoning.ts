import type { Blob } from '../../hub/blob.ts';
import type { Session } from '../../hub/codec.ts';
import { wrapBlobs } from '../../hub/envelope.ts';

/**
 * How a client gets thinking back. A value of the client's own vendor stands as it is; everybody else's blob
 * goes in our envelope, and returns to its issuer with the next request (rule C-41).
 */
export type Sealed =
  | { readonly kind: 'thinking'; readonly signature: string }
  | { readonly kind: 'redacted'; readonly data: string }
  | { readonly kind: 'nothing' };

/** `text` is the visible thinking, as far as there is any. */
export function sealReasoning(text: string, blob: Blob | undefined, session: Session): Sealed {
  // Clients want the field to be there, be it empty.
  if (blob === undefined) return text === '' ? { kind: 'nothing' } : { kind: 'thinking', signature: '' };
  const isOwn = session.target.protocol === 'messages';
  const value = isOwn ? blob.value : wrapBlobs([blob]);
  const isHidden = blob.form === 'redacted' || (blob.form === 'encrypted' && blob.place === 'reasoning');
  return text === '' && isHidden ? { kind: 'redacted', data: value } : { kind: 'thinking', signature: value };
}
