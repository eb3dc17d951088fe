import { createHmac, randomBytes } from 'node:crypto';

/**
 * Signatures of thinking and encrypted reasoning. They are opaque to everybody else and verified when they
 * come back, as the vendors do: 12 bytes of salt, 16 that prove we issued it, 16 over what it belongs to.
 */
const SECRET = 'tollgate vendor simulator';
const SALT_BYTES = 12;
const PROOF_BYTES = 16;
const WHOLE_BYTES = SALT_BYTES + 2 * PROOF_BYTES;

export type Verdict = 'genuine' | 'modified' | 'foreign';

export function sign(belongsTo: string): Buffer {
  const salt = randomBytes(SALT_BYTES);
  return Buffer.concat([salt, proof(salt, 'issuer'), proof(salt, belongsTo)]);
}

export function verify(signature: Buffer, belongsTo: string): Verdict {
  if (signature.length !== WHOLE_BYTES) return 'foreign';
  const salt = signature.subarray(0, SALT_BYTES);
  const issued = signature.subarray(SALT_BYTES, SALT_BYTES + PROOF_BYTES);
  if (!issued.equals(proof(salt, 'issuer'))) return 'foreign';
  return signature.subarray(SALT_BYTES + PROOF_BYTES).equals(proof(salt, belongsTo)) ? 'genuine' : 'modified';
}

function proof(salt: Buffer, text: string): Buffer {
  return createHmac('sha256', SECRET).update(salt).update(text).digest().subarray(0, PROOF_BYTES);
}
