import type { Blob } from '../../hub/blob.ts';
import type { Session } from '../../hub/codec.ts';
import { wrapBlobs } from '../../hub/envelope.ts';

/**
 * How a client gets thinking. A value of the client's own vendor stays unchanged. All other blobs are in our
 * envelope, and are sent back to their issuer with the next request (rule C-41).
 */
export type ReasoningValue =
  | { readonly kind: 'thinking'; readonly signature: string }
  | { readonly kind: 'redacted'; readonly data: string }
  | { readonly kind: 'nothing' };

/** `text` is the visible thinking, if any. */
export function encodeReasoningValue(text: string, blob: Blob | undefined, session: Session): ReasoningValue {
  // Clients require the field, even if it is empty.
  if (blob === undefined) return text === '' ? { kind: 'nothing' } : { kind: 'thinking', signature: '' };
  const isOwn = session.target.protocol === 'messages';
  const value = isOwn ? blob.value : wrapBlobs([blob]);
  const isHidden = blob.form === 'redacted' || (blob.form === 'encrypted' && blob.place === 'reasoning');
  return text === '' && isHidden ? { kind: 'redacted', data: value } : { kind: 'thinking', signature: value };
}
