import type { TextProtocol } from './protocol.ts';

/**
 * An opaque value of a vendor: a signature of thinking, encrypted reasoning, a thought signature. It
 * is sent back only to the credential and model that made it (rule C-6).
 */
export interface Signature {
  /** `Target.issuer` of the answer that it came with, or a protocol's name if the client got it elsewhere. */
  readonly issuer: string;
  readonly form: 'signature' | 'redacted' | 'encrypted' | 'thought';
  /** The kind of part that it belonged to at its issuer. */
  readonly place: 'reasoning' | 'call' | 'text';
  readonly value: string;
  /** Responses binds the ciphertext to the id of its item. */
  readonly itemId?: string | undefined;
  /** The visible thinking that it belongs to, if the client may not send that back. */
  readonly text?: string | undefined;
  /** It is attached to a tool call, and text stood between the two. The order is part of what was signed. */
  readonly beforeText?: boolean | undefined;
}

/** The issuer of a target that gets no signature at all, after its vendor refused one. */
export const NO_ISSUER = 'none';

/**
 * A native signature (its issuer is a protocol's name) fits any vendor of that protocol; ours fit only their
 * issuer.
 */
export function mayReturn(
  signature: Signature,
  target: { readonly protocol: TextProtocol; readonly issuer: string },
): boolean {
  if (target.issuer === NO_ISSUER) return false;
  return signature.issuer === target.issuer || signature.issuer === target.protocol;
}
