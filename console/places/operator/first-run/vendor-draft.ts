import { callApi, type Data } from '../../../api/api.ts';
import { queries } from '../../../api/queries.ts';
import {
  addressOf,
  type CloudDraft,
  cloudOf,
  cloudVendorCode,
  NO_CLOUD,
  type Preset,
  protocolsFor,
  secretOf,
  type VendorProtocol,
} from '../../../parts/cloud/cloud-draft.ts';
import type { StoredKey } from './offer.ts';

export type Result = Data<'testNewPlatformCredential'>;

/** What is typed of a vendor and its key. */
export interface Draft {
  readonly code: string;
  /** Of a cloud: empty for its usual one. */
  readonly address: string;
  readonly secret: string;
  readonly model: string;
  readonly cloud: CloudDraft;
}

export const OWN = 'own';

export function draftOf(preset: Preset | undefined, code: string, secret: string): Draft {
  const priced = (preset?.models ?? []).filter(({ prices }) => prices.input !== null);
  const [cheapest] = priced.toSorted((one, other) => Number(one.prices.input) - Number(other.prices.input));
  const address = preset?.cloud == null ? (preset?.addresses[0]?.base_url ?? '') : '';
  return { code, secret, address, model: cheapest?.forward_model_id ?? '', cloud: NO_CLOUD };
}

/** The vendor as it is tested and stored. */
interface Wanted {
  readonly address: string;
  readonly protocols: readonly VendorProtocol[];
  readonly secret: string;
  readonly cloud: Record<string, string> | undefined;
}

function wantedOf(draft: Draft, preset: Preset | undefined): Wanted {
  const typed = draft.address.trim();
  if (preset?.cloud == null) {
    const known = preset?.addresses.find(({ base_url: each }) => each === typed) ?? preset?.addresses[0];
    const secret = draft.secret.trim() === '' ? 'none' : draft.secret.trim();
    return { address: typed, protocols: known?.protocols ?? ['chat'], secret, cloud: undefined };
  }
  const { protocols, base_url: usual } = addressOf(preset, draft.cloud.fields);
  return {
    ...{ address: typed === '' ? usual : typed, protocols },
    secret: secretOf(preset.cloud.secrets, draft.cloud),
    cloud: cloudOf(preset, draft.cloud.fields),
  };
}

/** Whether a cloud has all of its parts; other vendors tell it by their fields. */
export function isWhole(draft: Draft, preset: Preset | undefined): boolean {
  const { address, secret } = wantedOf(draft, preset);
  return preset?.cloud == null || (address !== '' && secret !== '');
}

interface Trial extends Wanted {
  readonly vendor: string;
  readonly protocol: VendorProtocol;
}

function trialBody({ vendor, protocol, address, secret, cloud }: Trial) {
  return { vendor, protocol, base_url: address, secret, ...(cloud !== undefined && { cloud }) };
}

/** Tests what is typed by one call, and stores it if it works. */
export async function testAndStore(
  draft: Draft,
  preset: Preset | undefined,
): Promise<{ readonly result: Result; readonly stored: StoredKey | undefined }> {
  const wanted = wantedOf(draft, preset);
  const { data: vendors } = await callApi('listVendors', { query: { size: 100 } });
  const vendor =
    preset === undefined || wanted.cloud === undefined
      ? draft.code
      : cloudVendorCode(preset, { base_url: wanted.address, cloud: wanted.cloud }, vendors);
  const model = draft.model.trim();
  const [protocol = 'chat'] = protocolsFor(preset, wanted.protocols, model);
  const trial = { ...wanted, vendor, protocol };
  const body = { ...trialBody(trial), model };
  const { data: result } = await callApi('testNewPlatformCredential', { body });
  if (!result.ok) return { result, stored: undefined };
  const listed = await listModels(trial);
  const known = vendors.find(({ code }) => code === vendor);
  const name = await store(trial, preset?.name ?? draft.code, known);
  const protocols = known?.protocols ?? wanted.protocols;
  return { result, stored: { vendor, preset: draft.code, name, protocols, model, listed } };
}

/** A vendor that lists nothing is no mistake. */
async function listModels(trial: Trial): Promise<readonly string[]> {
  try {
    return (await callApi('listVendorModels', { body: trialBody(trial) })).data.models;
  } catch {
    return [];
  }
}

/** The vendor, if it is new, and the key. An address that is not the vendor's own goes with the key. */
async function store(
  { vendor, address, protocols, secret, cloud }: Trial,
  title: string,
  known: { readonly base_url: string } | undefined,
): Promise<string> {
  if (known === undefined) {
    const body = { code: vendor, name: title, protocols, base_url: address };
    await callApi('createVendor', { body: { ...body, ...(cloud !== undefined && { cloud }) } });
  }
  const credentials = await callApi('listCredentials', { query: { size: 100 } });
  const name = freeName(vendor, new Set(credentials.data.map((each) => each.name)));
  const isElsewhere = known !== undefined && known.base_url !== address;
  await callApi('createCredential', {
    body: { name, vendor, secret, ...(isElsewhere && { base_url: address }) },
  });
  await queries.invalidateQueries({ queryKey: ['listCredentials'] });
  return name;
}

function freeName(vendor: string, taken: ReadonlySet<string>): string {
  for (let number = 1; ; number++) {
    const name = number === 1 ? `${vendor}-main` : `${vendor}-${number}`;
    if (!taken.has(name)) return name;
  }
}
