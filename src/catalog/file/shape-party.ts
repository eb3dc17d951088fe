import { NAME_LENGTH_MAX, PASSWORD_LENGTH_MAX, PASSWORD_LENGTH_MIN } from '../../bounds.ts';
import { PROTOCOLS } from '../../kernel/protocol-name.ts';
import type { CredentialLimits, Vendor } from '../contract.ts';
import type { AccountEntry, CredentialEntry } from '../document.ts';
import {
  address,
  boolean,
  childPath,
  choice,
  integer,
  list,
  object,
  optional,
  type Reader,
  report,
  required,
  text,
} from './reader.ts';
import { cloudShape, secretShape, whyNotServed } from './shape-cloud.ts';
import { amount, code, INTEGER_MAX, LIST_RATE, modelId, name, rate, status } from './shape-value.ts';

/** In order of preference, at least one, none twice. */
export const protocols: Reader<Vendor['protocols']> = (place) => {
  const found = list(choice(...PROTOCOLS), PROTOCOLS.length)(place);
  if (place.tree.kind !== 'list') return found;
  const written = place.tree.items.map((item) => (item.kind === 'scalar' ? item.text : item));
  const isGood = written.length > 0 && new Set(written).size === written.length;
  if (!isGood) return report(place, 'must name at least one, and none twice', []);
  // What is no protocol was reported. One that stood in for it would be complained of as if it were written.
  const names: readonly unknown[] = PROTOCOLS;
  return written.every((protocol) => names.includes(protocol)) ? found : [];
};

const rawVendor = object({
  code: required('code', code),
  name: optional<string | undefined>('name', name, undefined),
  icon: optional<string | undefined>('icon', name, undefined),
  protocols: required('protocols', protocols),
  baseUrl: required('base_url', address),
  rateMicro: optional('rate', rate, LIST_RATE),
  byok: optional('byok', boolean, false),
  customBaseUrl: optional('custom_base_url', boolean, false),
  cloud: optional<Vendor['cloud']>('cloud', cloudShape, undefined),
});

export const vendorShape: Reader<Vendor> = (place) => {
  const { cloud, ...vendor } = rawVendor(place);
  const misfit = whyNotServed({ cloud, protocols: vendor.protocols });
  if (misfit !== undefined) report({ ...place, path: childPath(place.path, 'protocols') }, misfit);
  const named = { ...vendor, name: vendor.name ?? vendor.code, icon: vendor.icon ?? vendor.code };
  return cloud === undefined ? named : { ...named, cloud };
};

const limit = integer(1, INTEGER_MAX);
const rawLimits = object({
  concurrency: optional<number | undefined>('concurrency', limit, undefined),
  rpm: optional<number | undefined>('rpm', limit, undefined),
  tpm: optional<number | undefined>('tpm', limit, undefined),
});

/** A limit that is not set is not there, so that two equal ones print the same. */
const limitsShape: Reader<CredentialLimits> = (place) => {
  const entries = Object.entries(rawLimits(place)).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries);
};

export const credentialShape: Reader<CredentialEntry> = object<CredentialEntry>({
  name: required('name', text({ lengthMax: NAME_LENGTH_MAX })),
  vendorCode: required('vendor', code),
  secret: optional('secret', secretShape, ''),
  baseUrl: optional<string | undefined>('base_url', address, undefined),
  rateMicro: optional('rate', rate, LIST_RATE),
  limits: optional<CredentialLimits>('limits', limitsShape, {}),
  status: optional('status', status, 'enabled'),
});

/** One spelling per address: accounts are found by the lower-case form. */
const email: Reader<string> = (place) =>
  text({ lengthMax: 254, pattern: /^[^\s@"\\<>]+@[^\s@"\\<>]+$/, shape: 'an e-mail address' })(
    place,
  ).toLowerCase();

const subscriptionShape = object({
  planCode: required('plan', code),
  days: optional<number | undefined>('days', integer(1, 36_600), undefined),
});

export const accountShape: Reader<AccountEntry> = object<AccountEntry>({
  email: required('email', email),
  password: required('password', text({ lengthMin: PASSWORD_LENGTH_MIN, lengthMax: PASSWORD_LENGTH_MAX })),
  role: optional('role', choice('user', 'operator'), 'user'),
  status: optional('status', status, 'enabled'),
  userType: optional('user_type', integer(0, 2), 0),
  userRateMicro: optional<bigint | undefined>('user_rate', rate, undefined),
  apiBilling: optional<boolean | undefined>('api_billing', boolean, undefined),
  autoExchange: optional<boolean | undefined>('auto_exchange', boolean, undefined),
  extraApiQuotaMicro: optional('extra_api_quota', amount, 0n),
  fallbackModel: optional<string | null>('fallback_model', modelId, null),
  byokFallback: optional('byok_fallback', boolean, false),
  balanceMicro: optional('balance', amount, 0n),
  creditsMicro: optional('credits', amount, 0n),
  subscription: optional<AccountEntry['subscription']>('subscription', subscriptionShape, undefined),
});
