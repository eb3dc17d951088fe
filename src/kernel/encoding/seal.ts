import { createCipheriv, createDecipheriv, createHmac, hkdfSync } from 'node:crypto';
import { assert } from '../assert.ts';
import type { Random } from '../random.ts';

/**
 * Encryption of stored secrets: AES-256-GCM with a key derived from TOLLGATE_SECRET. The context (table, row,
 * owner) is authenticated, so a sealed text that is moved to another row does not open. Every text names its
 * key, so several secrets can be in use during a rotation.
 */
export interface Sealer {
  seal(plaintext: string, context: string): string;
  /** Undefined if the key is unknown, the context differs, or the text was changed. */
  unseal(sealed: string, context: string): string | undefined;
  /** False for a text under an older key: it must be sealed again before that key is removed. */
  isCurrent(sealed: string): boolean;
  /** The same for bytes, which may be large; they are never converted to a text. */
  sealBytes(plain: Buffer, context: string): Buffer;
  unsealBytes(sealed: Buffer, context: string): Buffer | undefined;
}

/** The minimum length of `TOLLGATE_SECRET`. */
export const SECRET_BYTES_MIN = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const KEY_ID_BYTES = 4;
const SEALED = /^s1\.([0-9a-f]{8})\.([A-Za-z0-9_-]{38,})$/;
const CHECK_CONTEXT = 'seal_check';
const CHECK_TEXT = 'tollgate';

/** Why a master secret is refused; undefined if it is good. */
export function secretWeakness(secret: string): string | undefined {
  return Buffer.byteLength(secret) < SECRET_BYTES_MIN
    ? `must have at least ${SECRET_BYTES_MIN} bytes`
    : undefined;
}

/** One key per purpose, so that a signature reveals nothing about a cipher key. */
export function deriveKey(secret: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, 'tollgate', purpose, 32));
}

/** The first secret seals. The others only open what was sealed before a rotation. */
export function newSealer(secrets: readonly string[], random: Random): Sealer {
  const keys = new Map<string, Buffer>();
  for (const secret of secrets) {
    assert(secretWeakness(secret) === undefined, 'a weak secret never reaches the sealer');
    const key = deriveKey(secret, 'seal');
    keys.set(toKeyId(key), key);
  }
  const [first] = keys;
  assert(first !== undefined, 'a sealer has at least one secret');
  const [keyId, key] = first;
  return {
    seal: (plaintext, context) => {
      const nonce = random.bytes(NONCE_BYTES);
      const plain = Buffer.from(plaintext);
      return `s1.${keyId}.${encrypt(key, nonce, { plain, context }).toString('base64url')}`;
    },
    unseal: (sealed, context) => unsealWith(keys, sealed, context),
    isCurrent: (sealed) => sealed.startsWith(`s1.${keyId}.`),
    sealBytes: (plain, context) => {
      const nonce = random.bytes(NONCE_BYTES);
      return Buffer.concat([Buffer.from(keyId, 'hex'), encrypt(key, nonce, { plain, context })]);
    },
    unsealBytes: (sealed, context) => {
      const named = keys.get(sealed.toString('hex', 0, KEY_ID_BYTES));
      return named === undefined ? undefined : decrypt(named, sealed.subarray(KEY_ID_BYTES), context);
    },
  };
}

/** The location of a secret: table, row and owner. */
export function rowContext(table: string, id: number, ownerAccountId: number | undefined): string {
  return `${table}:${id}:${ownerAccountId ?? 'platform'}`;
}

/** A known text, sealed. If it opens, the secret is the right one. */
export function newCheckValue(sealer: Sealer): string {
  return sealer.seal(CHECK_TEXT, CHECK_CONTEXT);
}

export function opensCheckValue(sealer: Sealer, sealed: string): boolean {
  return sealer.unseal(sealed, CHECK_CONTEXT) === CHECK_TEXT;
}

function toKeyId(key: Buffer): string {
  return createHmac('sha256', key).update('key id').digest('hex').slice(0, 8);
}

function encrypt(key: Buffer, nonce: Buffer, text: { plain: Buffer; context: string }): Buffer {
  assert(nonce.length === NONCE_BYTES, 'a nonce has twelve bytes');
  const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(Buffer.from(text.context));
  const body = cipher.update(text.plain);
  return Buffer.concat([nonce, body, cipher.final(), cipher.getAuthTag()]);
}

function unsealWith(keys: ReadonlyMap<string, Buffer>, sealed: string, context: string): string | undefined {
  const [, keyId = '', encoded = ''] = SEALED.exec(sealed) ?? [];
  const key = keys.get(keyId);
  if (key === undefined) return undefined;
  return decrypt(key, Buffer.from(encoded, 'base64url'), context)?.toString('utf8');
}

function decrypt(key: Buffer, bytes: Buffer, context: string): Buffer | undefined {
  if (bytes.length < NONCE_BYTES + TAG_BYTES) return undefined;
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAAD(Buffer.from(context));
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
  try {
    const body = decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES));
    return Buffer.concat([body, decipher.final()]);
  } catch {
    // The tag does not match: another row, another owner, or a changed text.
    return undefined;
  }
}
