import { MEDIA_HEAD_BYTES, MEDIA_LOOKED_BYTES_MAX } from '../../bounds.ts';
import type { Protocol } from '../../kernel/protocol-name.ts';
import { findFormat, kindOfName } from './header.ts';
import { PdfLook } from './pdf-pages.ts';
import { addressTokens, fileTokens, tokenRates } from './tokens.ts';

/** Who counts the tokens. */
export interface CountedBy {
  readonly protocol: Protocol;
  readonly model: string;
}

/** An upper figure of the input tokens that a fetched file comes to. */
export function fetchedTokens(
  { mime, bytes }: { readonly mime: string; readonly bytes: Buffer },
  { protocol, model }: CountedBy,
): number {
  const head = bytes.subarray(0, MEDIA_HEAD_BYTES);
  const file = { head, bytes: bytes.length, mime };
  const pages = (): number => new PdfLook().pages(looked(bytes), bytes.length);
  return fileTokens(findFormat(head) === 'pdf' ? { ...file, pages } : file, tokenRates(protocol, model));
}

/** Beginning and end, where a document keeps its tree. */
function looked(bytes: Buffer): readonly Buffer[] {
  if (bytes.length <= MEDIA_LOOKED_BYTES_MAX) return [bytes];
  const half = MEDIA_LOOKED_BYTES_MAX / 2;
  return [bytes.subarray(0, half), bytes.subarray(bytes.length - half)];
}

/** What the address of it counted when the request was read, or less. */
export function addressedTokens(
  address: string,
  what: 'picture' | 'document',
  { protocol, model }: CountedBy,
): number {
  const rates = tokenRates(protocol, model);
  const kind = kindOfName(address);
  if (kind !== 'unknown') return addressTokens(kind, rates);
  const named = addressTokens(what, rates);
  // A client may have called a document a text.
  return what === 'picture' ? named : Math.min(named, addressTokens('text', rates));
}
