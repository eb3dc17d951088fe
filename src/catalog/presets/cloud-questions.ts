import { CLOUD_FIELDS } from '../cloud.ts';
import type { Cloud, CloudKind } from '../contract.ts';
import type { Preset } from './preset.ts';

/** What a cloud is asked for beside its models: by the command, and by the form of the console. */
export interface CloudQuestions {
  readonly kind: CloudKind;
  readonly fields: readonly FieldQuestion[];
  /** One of them is chosen; the first is the usual one. */
  readonly secrets: readonly SecretForm[];
}

export interface FieldQuestion {
  /** As a catalogue file has it. */
  readonly name: string;
  /** `address`: it stands only in the address, and not in `cloud`. */
  readonly of: 'address' | 'cloud';
  readonly isRequired: boolean;
  readonly example: string;
}

/** A form that a secret can have. Without parts, the secret is one text. */
export interface SecretForm {
  readonly name: 'key' | 'entra' | 'aws' | 'service-account' | 'workload';
  /** The variable that the cloud's own tools read it from. */
  readonly variable: string | undefined;
  readonly parts: readonly SecretPart[];
  /** The whole secret, of a form that asks for nothing. */
  readonly fixed: string | undefined;
}

export interface SecretPart {
  readonly name: string;
  readonly isRequired: boolean;
  /** Not shown while it is typed. */
  readonly isHidden: boolean;
  readonly variable: string | undefined;
}

const NAMES: Readonly<Record<Exclude<keyof Cloud, 'kind'>, string>> = {
  ...{ apiVersion: 'api_version', region: 'region', project: 'project' },
  ...{ location: 'location', tokenUrl: 'token_url' },
};

const EXAMPLES: Readonly<Record<string, string>> = {
  ...{ resource: 'my-resource', api_version: '2024-10-21', region: 'us-east-1' },
  ...{ location: 'global', project: 'my-project', token_url: 'https://login.example.com/token' },
};

const part = (name: string, variable: string | undefined): SecretPart => ({
  ...{ name, variable, isRequired: true, isHidden: false },
});
const hidden = (name: string, variable: string): SecretPart => ({ ...part(name, variable), isHidden: true });
const open = (each: SecretPart): SecretPart => ({ ...each, isRequired: false });
const whole = { parts: [], fixed: undefined } as const;

const SECRETS: Readonly<Record<CloudKind, readonly SecretForm[]>> = {
  azure: [
    { ...whole, name: 'key', variable: 'AZURE_OPENAI_API_KEY' },
    {
      ...{ name: 'entra', variable: undefined, fixed: undefined },
      parts: [
        part('tenant_id', 'AZURE_TENANT_ID'),
        part('client_id', 'AZURE_CLIENT_ID'),
        hidden('client_secret', 'AZURE_CLIENT_SECRET'),
      ],
    },
  ],
  bedrock: [
    {
      ...{ name: 'aws', variable: undefined, fixed: undefined },
      parts: [
        part('access_key_id', 'AWS_ACCESS_KEY_ID'),
        hidden('secret_access_key', 'AWS_SECRET_ACCESS_KEY'),
        open(hidden('session_token', 'AWS_SESSION_TOKEN')),
        open(part('role_arn', 'AWS_ROLE_ARN')),
        open(part('external_id', undefined)),
      ],
    },
    { ...whole, name: 'key', variable: 'AWS_BEARER_TOKEN_BEDROCK' },
  ],
  vertex: [
    { ...whole, name: 'service-account', variable: 'GOOGLE_SERVICE_ACCOUNT_JSON' },
    { ...whole, name: 'workload', variable: undefined, fixed: '{"type":"workload"}' },
  ],
};

export function secretForms(kind: CloudKind): readonly SecretForm[] {
  return SECRETS[kind];
}

/** The fields of its addresses first, then the others that its kind has. */
export function cloudQuestions({ cloud: kind, addresses }: Preset): CloudQuestions | undefined {
  if (kind === undefined) return undefined;
  const { required, open: others } = CLOUD_FIELDS[kind];
  const ofCloud = [...required, ...others].map((field) => NAMES[field]);
  const needed = required.map((field) => NAMES[field]);
  const inAddress = addresses.flatMap(({ baseUrl }) =>
    [...baseUrl.matchAll(/\{([a-z_]+)\}/g)].map(([, name = '']) => name),
  );
  const fields = [...new Set([...inAddress, ...ofCloud])].map(
    (name): FieldQuestion => ({
      ...{ name, example: EXAMPLES[name] ?? '', of: ofCloud.includes(name) ? 'cloud' : 'address' },
      isRequired: inAddress.includes(name) || needed.includes(name),
    }),
  );
  return { kind, fields, secrets: SECRETS[kind] };
}
