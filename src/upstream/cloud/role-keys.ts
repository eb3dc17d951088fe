import type { Grant } from '../contract.ts';

const KEY_ID = /<AccessKeyId>([A-Za-z0-9]{1,128})<\/AccessKeyId>/;
const SECRET = /<SecretAccessKey>([A-Za-z0-9+/=]{1,256})<\/SecretAccessKey>/;
const TOKEN = /<SessionToken>([A-Za-z0-9+/=]{1,16000})<\/SessionToken>/;
const EXPIRATION = /<Expiration>([0-9TZ:.+-]{1,40})<\/Expiration>/;

/** The keys in AWS's answer to AssumeRole. Its XML is written by AWS and has these names once. */
export function readRoleKeys(body: string): Grant | undefined {
  const accessKeyId = KEY_ID.exec(body)?.[1];
  const secretAccessKey = SECRET.exec(body)?.[1];
  const sessionToken = TOKEN.exec(body)?.[1];
  const expiresAtMs = Date.parse(EXPIRATION.exec(body)?.[1] ?? '');
  if (accessKeyId === undefined || secretAccessKey === undefined || sessionToken === undefined)
    return undefined;
  if (Number.isNaN(expiresAtMs)) return undefined;
  return { expiresAtMs, keys: { accessKeyId, secretAccessKey, sessionToken } };
}
