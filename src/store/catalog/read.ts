import type {
  Announcement,
  Credential,
  CredentialLimits,
  GatewayNode,
  Plan,
  Policy,
  Prices,
  Restriction,
  Routing,
  Vendor,
} from '../../catalog/contract.ts';
import type { StoredCatalog, StoredModel, StoredRoute } from '../../catalog/document.ts';
import { type PriceName, readPrices } from '../../catalog/price-fields.ts';
import { assert } from '../../kernel/assert.ts';
import type { CapabilityOverrides } from '../../kernel/capability.ts';
import { rowContext, type Sealer } from '../../kernel/encoding/seal.ts';
import type { Logger } from '../../kernel/log.ts';
import { type Database, idNumber } from '../database.ts';

/** What is needed to open a sealed secret. */
export interface Unsealing {
  readonly sealer: Sealer;
  readonly log: Logger;
}

/** The whole catalogue. In a transaction that has locked the settings it does not change. */
export async function readCatalog(database: Database, unsealing: Unsealing): Promise<StoredCatalog> {
  const [settings] = await database.query<SettingsRow>('select * from catalog_settings');
  assert(settings !== undefined, 'the settings have one row');
  const credentials = await database.query<CredentialRow>(
    'select * from credentials where owner_account_id is null order by name',
  );
  return {
    ...settingsFromRow(settings),
    vendors: byKey(
      await database.query<VendorRow>('select * from vendors order by code'),
      vendorFromRow,
      'code',
    ),
    credentials: byKey(credentials, (row) => credentialFromRow(row, unsealing), 'name'),
    models: await readModels(database),
    policies: byKey(
      await database.query<PolicyRow>('select * from policies order by id'),
      policyFromRow,
      'id',
    ),
    plans: byKey(
      await database.query<PlanRow>('select * from plans order by level, code'),
      planFromRow,
      'code',
    ),
    nodes: byKey(await database.query<NodeRow>('select * from nodes order by name'), nodeFromRow, 'name'),
    announcements: byKey(
      await database.query<AnnouncementRow>('select * from announcements order by id'),
      announcementFromRow,
      'id',
    ),
  };
}

async function readModels(database: Database): Promise<ReadonlyMap<string, StoredModel>> {
  const rows = await database.query<RouteRow>(
    `select routes.*, credentials.name as credential_name
     from routes join credentials on credentials.id = routes.credential_id order by routes.id`,
  );
  const routes = Map.groupBy(rows, (row) => row.model_id);
  const models = await database.query<ModelRow>('select * from models order by model_id');
  const fromRow = (row: ModelRow): StoredModel => modelFromRow(row, routes.get(row.model_id) ?? []);
  return byKey(models, fromRow, 'modelId');
}

function byKey<Row, T, Name extends keyof T>(
  rows: readonly Row[],
  fromRow: (row: Row) => T,
  name: Name,
): ReadonlyMap<T[Name], T> {
  return new Map(rows.map(fromRow).map((entry) => [entry[name], entry]));
}

interface SettingsRow {
  readonly version: bigint;
  readonly system_rate_micro: bigint;
  readonly default_policy_id: number | null;
  readonly default_user_rate_micro: bigint;
  readonly default_api_billing: boolean;
  readonly default_auto_exchange: boolean;
  readonly grant_personal_micro: bigint;
  readonly grant_enterprise_micro: bigint;
}

function settingsFromRow(
  row: SettingsRow,
): Pick<StoredCatalog, 'version' | 'systemRateMicro' | 'defaults' | 'verificationGrants'> {
  return {
    version: idNumber(row.version),
    systemRateMicro: row.system_rate_micro,
    defaults: {
      policyId: row.default_policy_id ?? undefined,
      userRateMicro: row.default_user_rate_micro,
      apiBilling: row.default_api_billing,
      autoExchange: row.default_auto_exchange,
    },
    verificationGrants: {
      personalMicro: row.grant_personal_micro,
      enterpriseMicro: row.grant_enterprise_micro,
    },
  };
}

interface VendorRow {
  readonly code: string;
  readonly name: string;
  readonly icon: string;
  readonly protocols: Vendor['protocols'];
  readonly base_url: string;
  readonly rate_micro: bigint;
  readonly byok: boolean;
  readonly custom_base_url: boolean;
  readonly cloud: Vendor['cloud'] | null;
}

function vendorFromRow(row: VendorRow): Vendor {
  const { code, name, icon, protocols, byok } = row;
  return {
    ...{ code, name, icon, protocols, byok },
    baseUrl: row.base_url,
    rateMicro: row.rate_micro,
    customBaseUrl: row.custom_base_url,
    ...(row.cloud === null ? {} : { cloud: row.cloud }),
  };
}

export interface CredentialRow {
  readonly id: bigint;
  readonly vendor_code: string;
  readonly name: string;
  readonly secret_sealed: string;
  readonly base_url: string | null;
  readonly rate_micro: bigint;
  readonly limits: CredentialLimits;
  readonly status: 'enabled' | 'disabled';
  readonly owner_account_id: bigint | null;
}

/** A secret that does not open (a copied row, a lost key) makes only its credential unusable. */
export function credentialFromRow(row: CredentialRow, { sealer, log }: Unsealing): Credential {
  const id = idNumber(row.id);
  const ownerAccountId = row.owner_account_id === null ? undefined : idNumber(row.owner_account_id);
  const secret = sealer.unseal(row.secret_sealed, rowContext('credentials', id, ownerAccountId));
  if (secret === undefined)
    log.error({ credentialId: id }, 'a credential is unusable: its secret cannot be decrypted; set it again');
  return {
    id,
    name: row.name,
    vendorCode: row.vendor_code,
    secret: secret ?? '',
    baseUrl: row.base_url ?? undefined,
    rateMicro: row.rate_micro,
    limits: row.limits,
    status: secret === undefined ? 'disabled' : row.status,
    ownerAccountId,
  };
}

interface ModelRow extends Readonly<Record<`${PriceName}_micro`, bigint | null>> {
  readonly model_id: string;
  readonly name: string;
  readonly status: 'enabled' | 'disabled';
  readonly client_visible: boolean;
  readonly restriction_kind: Restriction['kind'];
  readonly restriction_level: number;
  readonly support_features: readonly string[];
  readonly billing_modes: number;
  readonly context_window: number | null;
  readonly max_output_tokens: number | null;
  readonly routing: Routing;
  readonly batch_rate_micro: bigint;
  readonly capabilities: CapabilityOverrides | null;
  readonly created_at: Date | null;
}

function modelFromRow(row: ModelRow, routes: readonly RouteRow[]): StoredModel {
  return {
    modelId: row.model_id,
    name: row.name,
    status: row.status,
    clientVisible: row.client_visible,
    restriction: { kind: row.restriction_kind, level: row.restriction_level },
    supportFeatures: row.support_features,
    prices: pricesFromRow(row),
    billingModes: row.billing_modes,
    contextWindow: row.context_window ?? undefined,
    maxOutputTokens: row.max_output_tokens ?? undefined,
    routing: row.routing,
    batchRateMicro: row.batch_rate_micro,
    capabilities: row.capabilities ?? undefined,
    createdAtMs: row.created_at?.getTime(),
    routes: routes.map(routeFromRow),
  };
}

function pricesFromRow(row: ModelRow): Prices {
  return readPrices(({ name }) => row[`${name}_micro`] ?? undefined);
}

interface RouteRow {
  readonly id: bigint;
  readonly model_id: string;
  readonly vendor_code: string;
  readonly credential_name: string;
  readonly forward_model_id: string;
  readonly protocols: Vendor['protocols'] | null;
  readonly priority: number;
  readonly weight: number;
  readonly rate_multiplier_micro: bigint;
  readonly status: 'enabled' | 'disabled';
  readonly capabilities: CapabilityOverrides | null;
}

function routeFromRow(row: RouteRow): StoredRoute {
  return {
    id: idNumber(row.id),
    vendorCode: row.vendor_code,
    credentialName: row.credential_name,
    forwardModelId: row.forward_model_id,
    protocols: row.protocols ?? undefined,
    priority: row.priority,
    weight: row.weight,
    rateMultiplierMicro: row.rate_multiplier_micro,
    status: row.status,
    capabilities: row.capabilities ?? undefined,
  };
}

interface PolicyRow {
  readonly id: number;
  readonly name: string;
  readonly concurrency: number | null;
  readonly windows: readonly {
    dimension: Policy['windows'][number]['dimension'];
    seconds: number;
    limit: string;
  }[];
  readonly selectable: boolean | null;
}

function policyFromRow(row: PolicyRow): Policy {
  return {
    id: row.id,
    name: row.name,
    concurrency: row.concurrency ?? undefined,
    windows: row.windows.map(({ dimension, seconds, limit }) => ({
      dimension,
      seconds,
      limit: BigInt(limit),
    })),
    selectable: row.selectable ?? undefined,
  };
}

interface PlanRow {
  readonly code: string;
  readonly level: number;
  readonly name: string;
  readonly price_micro: bigint;
  readonly days: number;
  readonly policy_id: number | null;
  readonly covers_models: readonly string[] | null;
  readonly coverage_windows: readonly { seconds: number; amountMicro: string }[];
}

function planFromRow(row: PlanRow): Plan {
  return {
    code: row.code,
    level: row.level,
    name: row.name,
    priceMicro: row.price_micro,
    days: row.days,
    policyId: row.policy_id ?? undefined,
    coversModels: row.covers_models ?? '*',
    coverageWindows: row.coverage_windows.map(({ seconds, amountMicro }) => ({
      seconds,
      amountMicro: BigInt(amountMicro),
    })),
  };
}

interface NodeRow {
  readonly name: string;
  readonly base_url: string;
  readonly region: string;
  readonly rate_micro: bigint;
}

function nodeFromRow(row: NodeRow): GatewayNode {
  return { name: row.name, baseUrl: row.base_url, region: row.region, rateMicro: row.rate_micro };
}

interface AnnouncementRow {
  readonly id: number;
  readonly title: string;
  readonly body: string;
  readonly starts_at: string;
  readonly ends_at: string;
}

function announcementFromRow(row: AnnouncementRow): Announcement {
  return { id: row.id, title: row.title, body: row.body, startsAt: row.starts_at, endsAt: row.ends_at };
}
