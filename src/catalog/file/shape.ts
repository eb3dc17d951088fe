import type { AccountDefaults, CatalogSnapshot } from '../contract.ts';
import type { CatalogFile } from '../document.ts';
import { boolean, decimal, list, object, optional, type Reader } from './reader.ts';
import { modelShape } from './shape-model.ts';
import { accountShape, credentialShape, vendorShape } from './shape-party.ts';
import { announcementShape, nodeShape, planShape, policyId, policyShape } from './shape-terms.ts';
import { AMOUNT_MAX, LIST_RATE, rate } from './shape-value.ts';

const defaultsShape: Reader<AccountDefaults> = object<AccountDefaults>({
  policyId: optional<number | undefined>('policy', policyId, undefined),
  userRateMicro: optional('user_rate', rate, LIST_RATE),
  apiBilling: optional('api_billing', boolean, true),
  autoExchange: optional('auto_exchange', boolean, false),
});

const grantsShape = object<CatalogSnapshot['verificationGrants']>({
  personalMicro: optional('personal', decimal(AMOUNT_MAX), 0n),
  enterpriseMicro: optional('enterprise', decimal(AMOUNT_MAX), 0n),
});

/** The whole file: keys as they are written there, defaults as rule S-7 gives them. */
export const catalogShape: Reader<CatalogFile> = object<CatalogFile>({
  systemRateMicro: optional<bigint | undefined>('system_rate', rate, undefined),
  defaults: optional<AccountDefaults | undefined>('defaults', defaultsShape, undefined),
  verificationGrants: optional<CatalogFile['verificationGrants']>(
    'verification_grants',
    grantsShape,
    undefined,
  ),
  vendors: optional('vendors', list(vendorShape), []),
  credentials: optional('credentials', list(credentialShape), []),
  models: optional('models', list(modelShape), []),
  policies: optional('policies', list(policyShape), []),
  plans: optional('plans', list(planShape), []),
  nodes: optional('nodes', list(nodeShape), []),
  announcements: optional('announcements', list(announcementShape), []),
  accounts: optional('accounts', list(accountShape), []),
});
