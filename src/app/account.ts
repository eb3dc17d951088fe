import { chooseLimits } from '../accounts/limits.ts';
import type { CatalogSnapshot } from '../catalog/contract.ts';
import { creditsMicro } from '../catalog/price.ts';
import type { Config } from '../config.ts';
import type { GateAway } from '../gate/contract.ts';
import { assert } from '../kernel/assert.ts';
import type { Logger } from '../kernel/log.ts';
import { systemRandom } from '../kernel/random.ts';
import { createCalendar, createTimes } from '../kernel/time/calendar.ts';
import { systemClock } from '../kernel/time/clock.ts';
import type { AccountTableNeeds } from '../operations/account-table.ts';
import type { Exchanged } from '../operations/accounts/own-account.ts';
import type { AccountEndpointDeps, OperationDeps } from '../operations/context.ts';
import type { Limited, LimitScope } from '../operations/limits/limits.ts';
import { findAccountView } from '../store/accounts/account-view.ts';
import { updateAccount } from '../store/accounts/accounts.ts';
import { createKey, deleteKeys, findKey, listKeys, updateKey } from '../store/accounts/api-keys.ts';
import {
  addByok,
  type ByokContext,
  deleteByok,
  listByok,
  openByok,
  updateByok,
} from '../store/accounts/byok.ts';
import { sumCredentialUse } from '../store/accounts/credential-use.ts';
import { listSubscriptions } from '../store/accounts/subscriptions.ts';
import { findVerification, submitVerification } from '../store/accounts/verifications.ts';
import { announceAndWait } from '../store/changes.ts';
import type { Database } from '../store/database.ts';
import { postExchange } from '../store/ledger/movement.ts';
import type { UpstreamClient } from '../upstream/contract.ts';
import { judgeByokAddress } from '../upstream/guard/byok-address.ts';
import { Prober } from '../upstream/probe.ts';
import type { AppContext } from './app-context.ts';
import type { OpenGate } from './gate.ts';
import type { Data } from './store.ts';

export interface AccountParts {
  readonly data: Data;
  readonly openGate: OpenGate;
  readonly client: UpstreamClient;
}

/** The ports of an account's endpoints about itself. */
export function bindAccount(
  { data, openGate, client }: AccountParts,
  context: AppContext,
): AccountTableNeeds {
  const { database, sealer, directory } = data;
  const { config } = context;
  const byokContext: ByokContext = { sealer, ownHosts: new Set(config.byokHosts) };
  return {
    deps: accountEndpointDeps(data, context),
    keys: {
      create: (wanted) => createKey(database, wanted, systemRandom),
      list: (accountId, part) => listKeys(database, accountId, part),
      find: (accountId, keyId) => findKey(database, accountId, keyId),
      remove: (accountId, keyIds) => deleteKeys(database, accountId, keyIds),
      update: (place, patch) => updateKey(database, place, patch),
    },
    accounts: {
      find: (accountId) => findAccountView(database, accountId),
      update: (accountId, patch) => updateAccount(database, accountId, patch),
      exchange: (accountId, amountMicro, ref) =>
        exchange(database, { accountId, amountMicro, ref, creditsPerYuan: config.creditsPerYuan }),
    },
    month: createCalendar(config.timeZone).month,
    subscriptions: { list: (accountId, part) => listSubscriptions(database, accountId, part) },
    gate: visibleGate(openGate, config),
    limitScopes: (limited, nowMs) => limitScopes(limited, directory.catalog(), nowMs),
    creditsPerYuan: config.creditsPerYuan,
    verifications: {
      submit: (accountId, kind, fields) => submitVerification(database, { accountId, kind }, fields, sealer),
      find: (accountId) => findVerification(database, accountId, sealer),
    },
    byok: {
      list: (accountId) => listByok(database, accountId),
      host: (wanted) => addByok(database, wanted, byokContext),
      update: (place, patch) => updateByok(database, place, patch, byokContext),
      remove: (accountId, credentialIds) => deleteByok(database, accountId, credentialIds),
    },
    probe: bindProbe({ database, byokContext, prober: new Prober(client, systemClock) }, directory),
    use: { stats: (accountId, period) => sumCredentialUse(database, accountId, period) },
    judgeAddress: (text) => judgeByokAddress(text, byokContext.ownHosts),
  };
}

const ELSEWHERE: GateAway = { kind: 'gate-away', retryAfterMs: 0 };

/** A gate in memory counts the calls of its own process. A process that serves no calls has no counts. */
export function visibleGate(
  { gate, shared }: OpenGate,
  { role }: Pick<Config, 'role'>,
): OperationDeps['gate'] {
  return shared || role === 'all' ? gate : { look: () => ELSEWHERE };
}

export function accountEndpointDeps(
  { database, directory }: Data,
  { config, log }: AppContext,
): AccountEndpointDeps {
  return {
    ...createTimes(config.timeZone),
    catalog: () => directory.catalog(),
    inForce: () => untilInForce(database, log),
  };
}

export async function untilInForce(database: Database, log: Logger): Promise<void> {
  const answer = await announceAndWait(database);
  if (answer === 'late') {
    log.warn({}, 'a server has not confirmed a change in time; it takes effect there with a delay');
  }
}

/** The choice of the gateway (rule L-10), for the account and for each of its keys. */
const limitScopes = (
  { accountId, policyId, subscriptions, keys }: Limited,
  catalog: CatalogSnapshot,
  nowMs: number,
): readonly LimitScope[] => {
  const account = { id: accountId, policyId, subscriptions };
  const [own] = chooseLimits({ account, key: { id: 0, policyId: undefined } }, catalog, nowMs);
  assert(own !== undefined, 'an account has a policy scope');
  const ofKeys = keys.flatMap((key) =>
    chooseLimits({ account, key }, catalog, nowMs)
      .slice(1)
      .map((limits) => ({ ...limits, keyId: key.id })),
  );
  return [{ ...own, keyId: undefined }, ...ofKeys];
};

async function exchange(database: Database, wanted: Parameters<typeof postExchange>[1]): Promise<Exchanged> {
  const result = await database.transaction((transaction) => postExchange(transaction, wanted));
  if (result.kind === 'insufficient') return result;
  return { ...result, receivedMicro: creditsMicro(wanted.amountMicro, wanted.creditsPerYuan) };
}

const CLOSED = {
  kind: 'fails',
  status: undefined,
  latencyMs: 0,
  message: 'The vendor no longer allows such a credential',
} as const;

function bindProbe(
  parts: { readonly database: Database; readonly byokContext: ByokContext; readonly prober: Prober },
  directory: Data['directory'],
): AccountTableNeeds['probe'] {
  const { database, byokContext, prober } = parts;
  return {
    given: (wanted) => prober.probe(wanted, directory.catalog()),
    stored: async (accountId, credentialId) => {
      const catalog = directory.catalog();
      const stored = await openByok(database, { accountId, credentialId }, byokContext);
      const vendor = stored && catalog.vendors.get(stored.vendorCode);
      if (stored === undefined || vendor === undefined) return { kind: 'not-found' };
      const { secret, baseUrl } = stored;
      // As in calls: a vendor that was closed in the meantime gets no request.
      if (!vendor.byok || (baseUrl !== undefined && !vendor.customBaseUrl)) return CLOSED;
      return prober.probe({ accountId, vendor, secret, baseUrl }, catalog);
    },
  };
}
