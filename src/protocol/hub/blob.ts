import type { TextProtocol } from './protocol.ts';

/**
 * Something only its issuer can read: a thinking signature, encrypted reasoning, a thought signature. It goes
 * back to the credential and model that made it and to nobody else (rule C-6).
 */
export interface Blob {
  /** `Target.issuer` of the answer it came with, or a protocol's name where a client got it elsewhere. */
  readonly issuer: string;
  readonly form: 'signature' | 'redacted' | 'encrypted' | 'thought';
  /** The kind of part it sat on at its issuer. */
  readonly place: 'reasoning' | 'call' | 'text';
  readonly value: string;
  /** Responses binds the ciphertext to the id of its item. */
  readonly itemId?: string | undefined;
  /** The visible thinking it belongs to, where the client is not known to bring that back. */
  readonly text?: string | undefined;
  /** It rides on a tool call, and text stood between the two: the order is part of what was signed. */
  readonly beforeText?: boolean | undefined;
}

/** The issuer of a target that takes no blob at all, after its vendor refused one. */
export const NO_ISSUER = 'none';

/** A native blob (its issuer is a protocol's name) fits any vendor of that protocol; ours only its issuer. */
export function mayReturn(
  blob: Blob,
  target: { readonly protocol: TextProtocol; readonly issuer: string },
): boolean {
  if (target.issuer === NO_ISSUER) return false;
  return blob.issuer === target.issuer || blob.issuer === target.protocol;
}
