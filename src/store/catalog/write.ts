import type { Announcement, GatewayNode, Plan, Policy, Vendor } from '../../catalog/contract.ts';
import type {
  CatalogFile,
  CredentialEntry,
  ModelEntry,
  RouteEntry,
  StoredCatalog,
} from '../../catalog/document.ts';
import { namePrices } from '../../catalog/price-fields.ts';
import { assert } from '../../kernel/assert.ts';
import type { CapabilityOverrides } from '../../kernel/capability.ts';
import { rowContext, type Sealer } from '../../kernel/encoding/seal.ts';
import { type Database, idNumber } from '../database.ts';

/** Columns of one row. Names of tables and columns are constants; only values come from outside. */
type Columns = Readonly<Record<string, unknown>>;

async function upsert(
  transaction: Database,
  table: string,
  keys: readonly string[],
  columns: Columns,
): Promise<void> {
  const names = Object.keys(columns);
  const places = names.map((_name, index) => `$${index + 1}`);
  const updates = names.filter((name) => !keys.includes(name)).map((name) => `${name} = excluded.${name}`);
  await transaction.query(
    `insert into ${table} (${names.join(', ')}) values (${places.join(', ')})
     on conflict (${keys.join(', ')}) do update set ${updates.join(', ')}`,
    Object.values(columns),
  );
}

export async function writeSettings(
  transaction: Database,
  document: CatalogFile,
  stored: StoredCatalog,
): Promise<void> {
  const defaults = document.defaults ?? stored.defaults;
  const grants = document.verificationGrants ?? stored.verificationGrants;
  await upsert(transaction, 'catalog_settings', ['id'], {
    id: true,
    system_rate_micro: document.systemRateMicro ?? stored.systemRateMicro,
    default_policy_id: defaults.policyId ?? null,
    default_user_rate_micro: defaults.userRateMicro,
    default_api_billing: defaults.apiBilling,
    default_auto_exchange: defaults.autoExchange,
    grant_personal_micro: grants.personalMicro,
    grant_enterprise_micro: grants.enterpriseMicro,
  });
}

export async function writeVendor(transaction: Database, vendor: Vendor): Promise<void> {
  await upsert(transaction, 'vendors', ['code'], {
    code: vendor.code,
    name: vendor.name,
    icon: vendor.icon,
    protocols: vendor.protocols,
    base_url: vendor.baseUrl,
    rate_micro: vendor.rateMicro,
    byok: vendor.byok,
    custom_base_url: vendor.customBaseUrl,
    cloud: vendor.cloud === undefined ? null : JSON.stringify(vendor.cloud),
  });
}

export interface CredentialWrite extends CredentialEntry {
  /** Undefined: a credential of the platform. */
  readonly ownerAccountId: number | undefined;
}

/** The id of the row is drawn first, because the secret is sealed for this row. */
export async function insertCredential(
  transaction: Database,
  credential: CredentialWrite,
  sealer: Sealer,
): Promise<number> {
  const [drawn] = await transaction.query<{ id: bigint }>(
    `select nextval(pg_get_serial_sequence('credentials', 'id')) as id`,
  );
  assert(drawn !== undefined, 'a sequence always has a next value');
  const id = idNumber(drawn.id);
  const columns = credentialColumns(id, credential, sealer);
  await upsert(transaction, 'credentials', ['id'], {
    id,
    owner_account_id: credential.ownerAccountId,
    ...columns,
  });
  return id;
}

/** `id` is that of an existing row. Its owner never changes. */
export async function updateCredential(
  transaction: Database,
  id: number,
  credential: CredentialWrite,
  sealer: Sealer,
): Promise<void> {
  const columns = Object.entries(credentialColumns(id, credential, sealer));
  const updates = columns.map(([name], index) => `${name} = $${index + 2}`);
  const values = columns.map(([, value]) => value);
  await transaction.query(`update credentials set ${updates.join(', ')} where id = $1`, [id, ...values]);
}

function credentialColumns(id: number, credential: CredentialWrite, sealer: Sealer): Columns {
  return {
    vendor_code: credential.vendorCode,
    name: credential.name,
    secret_sealed: sealer.seal(credential.secret, rowContext('credentials', id, credential.ownerAccountId)),
    secret_hint: secretHint(credential.secret),
    base_url: credential.baseUrl ?? null,
    rate_micro: credential.rateMicro,
    limits: JSON.stringify(credential.limits),
    status: credential.status,
  };
}

/** The last four characters, if the secret is long enough. */
export function secretHint(secret: string): string {
  return secret.length >= 16 ? secret.slice(-4) : '';
}

export async function writeModel(transaction: Database, model: ModelEntry): Promise<void> {
  const { prices, restriction } = model;
  await upsert(transaction, 'models', ['model_id'], {
    model_id: model.modelId,
    name: model.name,
    status: model.status,
    client_visible: model.clientVisible,
    restriction_kind: restriction.kind,
    restriction_level: restriction.level,
    support_features: model.supportFeatures,
    ...namePrices({ before: '', behind: '_micro' }, ({ field }) => prices[field] ?? null),
    billing_modes: model.billingModes,
    context_window: model.contextWindow ?? null,
    max_output_tokens: model.maxOutputTokens ?? null,
    routing: model.routing,
    batch_rate_micro: model.batchRateMicro,
    capabilities: capabilitiesColumn(model.capabilities),
  });
}

function capabilitiesColumn(overrides: CapabilityOverrides | undefined): string | null {
  return overrides === undefined ? null : JSON.stringify(overrides);
}

export async function writeRoute(transaction: Database, modelId: string, route: RouteEntry): Promise<void> {
  const [credential] = await transaction.query<{ id: bigint }>(
    'select id from credentials where name = $1 and owner_account_id is null',
    [route.credentialName],
  );
  assert(credential !== undefined, 'a checked file names credentials that exist');
  await upsert(transaction, 'routes', ['model_id', 'credential_id', 'forward_model_id'], {
    model_id: modelId,
    vendor_code: route.vendorCode,
    credential_id: credential.id,
    forward_model_id: route.forwardModelId,
    protocols: route.protocols ?? null,
    priority: route.priority,
    weight: route.weight,
    rate_multiplier_micro: route.rateMultiplierMicro,
    status: route.status,
    capabilities: capabilitiesColumn(route.capabilities),
  });
}

export async function writePolicy(transaction: Database, policy: Policy): Promise<void> {
  const windows = policy.windows.map((window) => ({ ...window, limit: window.limit.toString() }));
  await upsert(transaction, 'policies', ['id'], {
    id: policy.id,
    name: policy.name,
    concurrency: policy.concurrency ?? null,
    windows: JSON.stringify(windows),
    selectable: policy.selectable ?? null,
  });
}

export async function writePlan(transaction: Database, plan: Plan): Promise<void> {
  const windows = plan.coverageWindows.map(({ seconds, amountMicro }) => ({
    seconds,
    amountMicro: amountMicro.toString(),
  }));
  await upsert(transaction, 'plans', ['code'], {
    code: plan.code,
    level: plan.level,
    name: plan.name,
    price_micro: plan.priceMicro,
    days: plan.days,
    policy_id: plan.policyId ?? null,
    covers_models: plan.coversModels === '*' ? null : plan.coversModels,
    coverage_windows: JSON.stringify(windows),
  });
}

export async function writeNode(transaction: Database, node: GatewayNode): Promise<void> {
  await upsert(transaction, 'nodes', ['name'], {
    name: node.name,
    base_url: node.baseUrl,
    region: node.region,
    rate_micro: node.rateMicro,
  });
}

export async function writeAnnouncement(transaction: Database, announcement: Announcement): Promise<void> {
  await upsert(transaction, 'announcements', ['id'], {
    id: announcement.id,
    title: announcement.title,
    body: announcement.body,
    starts_at: announcement.startsAt,
    ends_at: announcement.endsAt,
  });
}
