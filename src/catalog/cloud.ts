import { SECRET_LENGTH_MAX } from '../bounds.ts';
import { isJsonObject, parseJson } from '../kernel/encoding/json.ts';
import type { Protocol } from '../kernel/protocol-name.ts';
import type { Cloud, CloudKind } from './contract.ts';

/** What a credential of a cloud consists of. */
export type CloudSecret =
  | { readonly kind: 'key'; readonly key: string }
  | {
      readonly kind: 'entra';
      readonly tenantId: string;
      readonly clientId: string;
      readonly clientSecret: string;
    }
  | ({ readonly kind: 'aws' } & AwsKeys & { readonly role: AwsRole | undefined })
  | {
      readonly kind: 'service-account';
      readonly email: string;
      readonly privateKey: string;
      readonly privateKeyId: string | undefined;
      readonly projectId: string | undefined;
    }
  /** The identity of the machine, asked from its metadata server. */
  | { readonly kind: 'workload' };

export interface AwsKeys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string | undefined;
}

export interface AwsRole {
  readonly arn: string;
  readonly externalId: string | undefined;
}

/** The protocols that a cloud serves. */
export function cloudProtocols({ kind, apiVersion }: Cloud): readonly Protocol[] {
  switch (kind) {
    case 'azure':
      return apiVersion === undefined ? ['chat', 'responses', 'images'] : ['chat', 'images'];
    case 'bedrock':
      return ['messages', 'chat'];
    case 'vertex':
      return ['gemini', 'messages'];
  }
}

type CloudField = Exclude<keyof Cloud, 'kind'>;

/** The fields of each kind. */
export const CLOUD_FIELDS: Readonly<Record<CloudKind, { required: CloudField[]; open: CloudField[] }>> = {
  azure: { required: [], open: ['apiVersion', 'tokenUrl'] },
  bedrock: { required: ['region'], open: ['tokenUrl'] },
  vertex: { required: ['location'], open: ['project', 'tokenUrl'] },
};

const SECRET_BOUNDS = { bytesMax: SECRET_LENGTH_MAX * 2, depthMax: 4 };

/**
 * A secret of several parts is a JSON object. It is stored on one line of visible ASCII characters, as every
 * secret is; the meaning stays the same. Other texts stay as they are.
 */
export function secretOnOneLine(text: string): string {
  const trimmed = text.trim();
  if (!trimmed.startsWith('{')) return text;
  const parsed = parseJson(trimmed, SECRET_BOUNDS);
  if (parsed.kind === 'invalid' || !isJsonObject(parsed.value)) return text;
  return JSON.stringify(parsed.value).replace(
    /[^!-~]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

export type ReadSecret = CloudSecret | { readonly kind: 'invalid'; readonly why: string };

const FORMS: Readonly<Record<CloudKind, string>> = {
  azure: 'a key, or an object with tenant_id, client_id and client_secret',
  bedrock: 'a key, or an object with access_key_id and secret_access_key',
  vertex: 'the JSON key of a service account, or an object with type: workload',
};

/** The parts of a credential's secret. The complaint repeats nothing of it. */
export function readCloudSecret(kind: CloudKind, secret: string): ReadSecret {
  const invalid = { kind: 'invalid', why: `must be ${FORMS[kind]}` } as const;
  if (!secret.startsWith('{'))
    return kind === 'vertex' || secret === '' ? invalid : { kind: 'key', key: secret };
  const parsed = parseJson(secret, SECRET_BOUNDS);
  if (parsed.kind === 'invalid' || !isJsonObject(parsed.value)) return invalid;
  return READERS[kind](new Parts(parsed.value)) ?? invalid;
}

/** The texts of an object, none of them with a character that must not be in a header or path. */
class Parts {
  readonly #value: Record<string, unknown>;

  constructor(value: Record<string, unknown>) {
    this.#value = value;
  }

  text(name: string, form: RegExp): string | undefined {
    const value = this.#value[name];
    return typeof value === 'string' && form.test(value) ? value : undefined;
  }

  /** False: the part is there and has another form. */
  isAbsentOr(name: string, form: RegExp): boolean {
    const value = this.#value[name];
    return value === undefined || value === null || (typeof value === 'string' && form.test(value));
  }

  isType(type: string): boolean {
    return this.#value.type === type;
  }
}

const VISIBLE = /^[!-~]{1,4000}$/;
const NAME = /^[A-Za-z0-9._-]{1,100}$/;
const ARN = /^arn:[!-~]{10,300}$/;
const EMAIL = /^[A-Za-z0-9._@-]{3,200}$/;
const PRIVATE_KEY =
  /^-----BEGIN [A-Z ]{1,40}-----\s[A-Za-z0-9+/=\s]{100,8000}-----END [A-Z ]{1,40}-----\s{0,4}$/;
const PROJECT = /^[a-z0-9.:-]{1,100}$/;

const READERS: Readonly<Record<CloudKind, (parts: Parts) => CloudSecret | undefined>> = {
  azure: (parts) => {
    const tenantId = parts.text('tenant_id', NAME);
    const clientId = parts.text('client_id', NAME);
    const clientSecret = parts.text('client_secret', VISIBLE);
    if (tenantId === undefined || clientId === undefined || clientSecret === undefined) return undefined;
    return { kind: 'entra', tenantId, clientId, clientSecret };
  },
  bedrock: (parts) => {
    const accessKeyId = parts.text('access_key_id', NAME);
    const secretAccessKey = parts.text('secret_access_key', VISIBLE);
    if (accessKeyId === undefined || secretAccessKey === undefined) return undefined;
    const isWhole =
      parts.isAbsentOr('session_token', VISIBLE) &&
      parts.isAbsentOr('role_arn', ARN) &&
      parts.isAbsentOr('external_id', VISIBLE);
    if (!isWhole) return undefined;
    const arn = parts.text('role_arn', ARN);
    const role = arn === undefined ? undefined : { arn, externalId: parts.text('external_id', VISIBLE) };
    const sessionToken = parts.text('session_token', VISIBLE);
    return { kind: 'aws', accessKeyId, secretAccessKey, sessionToken, role };
  },
  vertex: (parts) => {
    if (parts.isType('workload')) return { kind: 'workload' };
    const email = parts.text('client_email', EMAIL);
    const privateKey = parts.text('private_key', PRIVATE_KEY);
    if (!parts.isType('service_account') || email === undefined || privateKey === undefined) return undefined;
    const privateKeyId = parts.text('private_key_id', NAME);
    return {
      kind: 'service-account',
      email,
      privateKey,
      privateKeyId,
      projectId: parts.text('project_id', PROJECT),
    };
  },
};

/**
 * Why an account may not store such a secret. The identity of the machine is the operator's, and no account
 * gets it for its own calls.
 */
export function whyNotOwn(cloud: Cloud | undefined, secret: string): string | undefined {
  if (cloud === undefined) return undefined;
  const read = readCloudSecret(cloud.kind, secret);
  if (read.kind === 'invalid') return read.why;
  return read.kind === 'workload' ? 'must be the JSON key of a service account' : undefined;
}
