import { MEDIA_HEAD_BYTES, MEDIA_LOOKED_BYTES_MAX } from '../../bounds.ts';
import type { Protocol } from '../../kernel/protocol-name.ts';
import { finishNow } from '../bytes/slices.ts';
import { findFormat, kindOfName } from './header.ts';
import { PdfPageCounter } from './pdf-pages.ts';
import { type SoundLength, soundLength } from './sound/length.ts';
import { SoundBytes } from './sound/sound-bytes.ts';
import { addressTokens, fileTokens, tokenRates } from './tokens.ts';

/** Whose tokenizer counts. */
export interface CountedBy {
  readonly protocol: Protocol;
  readonly model: string;
}

/** An upper estimate of the input tokens of a fetched file. */
export function fetchedTokens(
  { mime, bytes }: { readonly mime: string; readonly bytes: Buffer },
  { protocol, model }: CountedBy,
): number {
  const head = bytes.subarray(0, MEDIA_HEAD_BYTES);
  const length = (): SoundLength => finishNow(soundLength(SoundBytes.of(bytes)));
  const file = { head, bytes: bytes.length, mime, length };
  const pages = (): number => new PdfPageCounter().pages(sampled(bytes), bytes.length);
  return fileTokens(findFormat(head) === 'pdf' ? { ...file, pages } : file, tokenRates(protocol, model));
}

/** Beginning and end, where a document has its tree. */
function sampled(bytes: Buffer): readonly Buffer[] {
  if (bytes.length <= MEDIA_LOOKED_BYTES_MAX) return [bytes];
  const half = MEDIA_LOOKED_BYTES_MAX / 2;
  return [bytes.subarray(0, half), bytes.subarray(bytes.length - half)];
}

/** What its address counted when the request was read, or less. */
export function addressedTokens(
  address: string,
  what: 'picture' | 'document',
  { protocol, model }: CountedBy,
): number {
  const rates = tokenRates(protocol, model);
  const kind = kindOfName(address);
  if (kind !== 'unknown') return addressTokens(kind, rates);
  const named = addressTokens(what, rates);
  // A client may have named a document as a text.
  return what === 'picture' ? named : Math.min(named, addressTokens('text', rates));
}
