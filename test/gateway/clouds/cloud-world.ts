import { AWS, AZURE, GOOGLE } from '../../../sim/cloud/state.ts';
import type { TruthCall } from '../../../sim/truth.ts';
import { startWorld, type World, type WorldOptions } from '../../support/world.ts';

/** The world puts the simulator's address, and the secrets of its customer, here. */
const SIM = '$'.concat('{SIM}');
const SERVICE_ACCOUNT = '$'.concat('{SERVICE_ACCOUNT}');

const ENTRA = { tenant_id: AZURE.tenantId, client_id: AZURE.clientId, client_secret: AZURE.clientSecret };
const AWS_KEYS = { access_key_id: AWS.accessKeyId, secret_access_key: AWS.secretAccessKey };
const AWS_ROLE = { ...AWS_KEYS, role_arn: AWS.roleArn, external_id: AWS.externalId };

interface Way {
  readonly protocols: readonly string[];
  readonly cloud: Readonly<Record<string, string>>;
  readonly secret: unknown;
  readonly model: string;
}

const DEPLOYMENTS = {
  kind: 'azure',
  api_version: AZURE.apiVersion,
  token_url: `${SIM}/entra/${AZURE.tenantId}/oauth2/v2.0/token`,
};
const { api_version: _version, ...VERSION_1 } = DEPLOYMENTS;
const BEDROCK = { kind: 'bedrock', region: AWS.region, token_url: `${SIM}/sts` };
const VERTEX = { kind: 'vertex', location: GOOGLE.location, token_url: `${SIM}/google-token` };
const METADATA = { ...VERTEX, project: GOOGLE.project, token_url: `${SIM}/metadata/token` };
const CLAUDE = 'us.anthropic.claude-sonnet-4-5-20250929-v1:0';

/** Every way to a model through a cloud: each kind of address, and each kind of authorisation. */
export const WAYS = {
  'azure-key': { protocols: ['chat'], cloud: DEPLOYMENTS, secret: AZURE.key, model: 'gpt-4o' },
  'azure-entra': { protocols: ['chat'], cloud: DEPLOYMENTS, secret: ENTRA, model: 'gpt-4o' },
  'azure-v1': { protocols: ['responses', 'chat'], cloud: VERSION_1, secret: AZURE.key, model: 'gpt-4o' },
  'bedrock-claude': { protocols: ['messages'], cloud: BEDROCK, secret: AWS_KEYS, model: CLAUDE },
  'bedrock-role': { protocols: ['messages'], cloud: BEDROCK, secret: AWS_ROLE, model: CLAUDE },
  'bedrock-bearer': { protocols: ['messages'], cloud: BEDROCK, secret: AWS.bearer, model: CLAUDE },
  'bedrock-chat': { protocols: ['chat'], cloud: BEDROCK, secret: AWS_KEYS, model: 'openai.gpt-4o' },
  'vertex-gemini': {
    protocols: ['gemini'],
    cloud: VERTEX,
    secret: SERVICE_ACCOUNT,
    model: 'gemini-2.5-flash',
  },
  'vertex-claude': {
    protocols: ['messages'],
    cloud: VERTEX,
    secret: SERVICE_ACCOUNT,
    model: 'claude-sonnet-4-5@20250929',
  },
  'vertex-workload': {
    protocols: ['gemini'],
    cloud: METADATA,
    secret: { type: 'workload' },
    model: 'gemini-2.5-flash',
  },
} as const satisfies Readonly<Record<string, Way>>;

export type WayName = keyof typeof WAYS;
export const WAY_NAMES = Object.keys(WAYS) as WayName[];

const ways: [string, Way][] = Object.entries(WAYS);

const CATALOG = JSON.stringify({
  defaults: { policy: 1, user_rate: 100, api_billing: true, auto_exchange: false },
  vendors: ways.map(([code, { protocols, cloud }]) => ({
    ...{ code, protocols, cloud, byok: true, custom_base_url: cloud.kind === 'azure' },
    base_url: `${SIM}/${cloud.kind}`,
  })),
  credentials: ways.map(([vendor, { secret }]) => ({ name: vendor, vendor, secret })),
  models: ways.map(([code, { model }]) => ({
    model_id: code,
    prices: { input: '10', output: '30', cache_input: '1', cache_write: '12.5' },
    max_output_tokens: 8000,
    routes: [{ vendor: code, credential: code, forward_model_id: model }],
  })),
  policies: [{ id: 1, name: 'default', concurrency: 500, windows: [] }],
  accounts: [{ email: 'user@example.com', password: 'a test password', user_type: 1, credits: '50000' }],
});

/** A world in which every model is reached through a cloud. */
export function startCloudWorld(options: WorldOptions = {}): Promise<World> {
  return startWorld({
    catalog: CATALOG,
    environmentFrom: ({ clouds }) => ({ SERVICE_ACCOUNT: JSON.stringify(clouds.serviceAccount(), null, 2) }),
    ...options,
  });
}

/** Requests for tokens since the start of the world, or since it forgot. */
export function tokenRequests(world: World): readonly TruthCall[] {
  return world.simulator.truth
    .all()
    .filter(({ path }) => /^\/(?:entra|google-token|metadata|sts)/.test(path));
}
