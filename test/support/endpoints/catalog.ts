import { AWS, AZURE, GOOGLE } from '../../../sim/cloud/state.ts';
import { CLOUD_KINDS, type CloudKind } from '../../../src/catalog/contract.ts';
import type { Protocol } from '../../../src/kernel/protocol-name.ts';
import { ENDPOINT_CALLS, type EndpointCall, VENDOR_CODES, type VendorCode } from './table.ts';

/** Whoever applies the catalogue puts the simulator's address, and the key of its service account, here. */
const SIM = '$'.concat('{SIM}');
const SERVICE_ACCOUNT = '$'.concat('{SERVICE_ACCOUNT}');

/** Where each vendor stands; a cloud also says what it needs. */
const PLACES: Readonly<Record<VendorCode, string>> = {
  openai: `${SIM}/v1`,
  jina: `${SIM}/v1`,
  cohere: `${SIM}/v2`,
  anthropic: SIM,
  google: SIM,
  azure: `${SIM}/azure`,
  bedrock: `${SIM}/bedrock`,
  vertex: `${SIM}/vertex`,
};

const VERTEX = { kind: 'vertex', location: GOOGLE.location, project: GOOGLE.project };
const CLOUDS: Readonly<Record<CloudKind, Readonly<Record<string, string>>>> = {
  azure: { kind: 'azure', api_version: AZURE.apiVersion },
  bedrock: { kind: 'bedrock', region: AWS.region },
  vertex: { ...VERTEX, token_url: `${SIM}/google-token` },
};
const WORKLOAD = { ...VERTEX, token_url: `${SIM}/metadata/token` };

/** The secret of each vendor's credential. Vendors of OpenAI's family take any that begins with the key. */
export const VENDOR_SECRETS: Readonly<Record<VendorCode, unknown>> = {
  openai: 'sk-sim-openai',
  jina: 'sk-sim-openai',
  cohere: 'sk-sim-openai',
  anthropic: 'sk-sim-anthropic',
  google: 'sk-sim-google',
  azure: AZURE.key,
  bedrock: { access_key_id: AWS.accessKeyId, secret_access_key: AWS.secretAccessKey },
  vertex: SERVICE_ACCOUNT,
};

/** A slot or a hold that is not given back shows: a call of this model holds all that is free. */
export const PROBE_MODEL = 'probe';
/** 80 tokens of the probe cost more than this many Credits, and the 256 that nobody enters without less. */
export const PROBED_CREDITS = 100_000;
/** Policies by their id. */
export const ONE_REQUEST = 2;

export interface EndpointCatalogOptions {
  /** Instead of VENDOR_SECRETS. */
  readonly secrets?: Partial<Readonly<Record<VendorCode, unknown>>>;
  /** How Vertex is asked for tokens: with a key, or as the machine itself, which needs no secret. */
  readonly vertex?: 'service-account' | 'workload';
}

/** One vendor of each kind, and a model for every call of the table. */
export function endpointCatalog({ secrets, vertex }: EndpointCatalogOptions = {}): string {
  const workload = vertex === 'workload';
  const codes = [...VENDOR_CODES, ...CLOUD_KINDS];
  const clouds = { ...CLOUDS, ...(workload && { vertex: WORKLOAD }) };
  const given = { ...VENDOR_SECRETS, ...(workload && { vertex: { type: 'workload' } }), ...secrets };
  return JSON.stringify({
    defaults: { policy: 1, user_rate: 100, api_billing: true, auto_exchange: false },
    vendors: codes.map((code) => ({
      ...{ code, name: code, byok: true, base_url: PLACES[code], protocols: protocolsOf(code) },
      ...(code in clouds && { cloud: clouds[code as CloudKind] }),
    })),
    credentials: codes.map((code) => ({ name: credentialOf(code), vendor: code, secret: given[code] })),
    models: [...ENDPOINT_CALLS.map(modelOf), PROBE],
    policies: [
      { id: 1, name: 'default', concurrency: 1_000, windows: [] },
      { id: ONE_REQUEST, name: 'one', windows: [{ dimension: 'requests', seconds: 3600, limit: 1 }] },
    ],
    accounts: [
      { email: 'user@example.com', password: 'a test password', user_type: 1, credits: '100000000' },
      { email: 'other@example.com', password: 'a test password', user_type: 1, credits: '100000000' },
      { email: 'operator@example.com', password: 'a test password', role: 'operator' },
    ],
  });
}

export const credentialOf = (code: VendorCode): string => `${code}-main`;

function protocolsOf(code: VendorCode): readonly Protocol[] {
  const spoken = ENDPOINT_CALLS.filter(({ vendor }) => vendor === code).map(({ protocol }) => protocol);
  return [...new Set(spoken)];
}

const yuan = (micro: number): string => (micro / 1_000_000).toFixed(6);

function modelOf({ model, price, vendor, forward, protocol }: EndpointCall): object {
  const { input = 0, output = 0, images = 0, videos = 0 } = price;
  return {
    model_id: model,
    prices: { input: String(input), output: String(output), image: yuan(images), video: yuan(videos) },
    max_output_tokens: 1_000,
    routes: [{ vendor, credential: credentialOf(vendor), forward_model_id: forward, protocols: [protocol] }],
  };
}

const PROBE = {
  model_id: PROBE_MODEL,
  // 1,000 tokens cost more than PROBED_CREDITS, and 256 less.
  prices: { input: '1', output: '200000' },
  max_output_tokens: 1_000,
  routes: [
    {
      vendor: 'openai',
      credential: credentialOf('openai'),
      forward_model_id: 'gpt-4.1',
      protocols: ['chat'],
    },
  ],
};
