import { admit } from '../accounts/admit.ts';
import { LIST_RATE_MICRO } from '../catalog/price.ts';
import type { Config } from '../config.ts';
import { assert } from '../kernel/assert.ts';
import { createCalendar } from '../kernel/time/calendar.ts';
import { systemClock } from '../kernel/time/clock.ts';
import { createDays } from '../kernel/time/days.ts';
import { visitorAddress } from '../kernel/visitor.ts';
import type { NodeView } from '../operations/catalog/offer.ts';
import type { PublicNeeds } from '../operations/public-table.ts';
import type { FundsView } from '../operations/stats/stats.ts';
import type { UsageNeeds } from '../operations/usage-table.ts';
import { findAccountView } from '../store/accounts/account-view.ts';
import { findKeyNames } from '../store/accounts/api-keys.ts';
import { keepFeedback } from '../store/accounts/feedback.ts';
import { findRegistration, isOperatorMissing } from '../store/accounts/registration.ts';
import type { Database } from '../store/database.ts';
import { pageOfBalanceLog, wholeBalanceLog } from '../store/logs/balance-log.ts';
import { findOwnCall } from '../store/logs/call-log.ts';
import { pageOfLog, wholeLog } from '../store/logs/log-pages.ts';
import { loadModelTraffic } from '../store/logs/model-traffic.ts';
import { findReceipt } from '../store/logs/receipts.ts';
import { usageBetween, usageBy, usageSeries } from '../store/logs/usage-sums.ts';
import { loadLiveNodes } from '../store/operations/heartbeats.ts';
import { accountEndpointDeps } from './account.ts';
import type { AppContext } from './app-context.ts';
import type { Data } from './store.ts';

/** The ports of logs, exports and statistics. */
export function bindUsage(data: Data, context: AppContext): UsageNeeds {
  const { database } = data;
  const { timeZone } = context.config;
  const { month } = createCalendar(timeZone);
  return {
    deps: accountEndpointDeps(data, context),
    days: createDays(timeZone),
    logs: {
      callPage: (question) => pageOfLog(database, 'calls', question),
      findCall: (accountId, id) => findOwnCall(database, accountId, id),
      findReceipt: (accountId, callId) => findReceipt(database, accountId, callId),
      consumptionPage: (question) => pageOfLog(database, 'consumptions', question),
      balancePage: (accountId, wanted) => pageOfBalanceLog(database, accountId, wanted),
    },
    exports: {
      calls: (asked) => wholeLog(database, 'calls', asked),
      consumptions: (asked) => wholeLog(database, 'consumptions', asked),
      balance: (accountId, range) => wholeBalanceLog(database, accountId, range),
    },
    stats: {
      between: (accountId, wanted) => usageBetween(database, accountId, wanted),
      groups: (accountId, wanted) => usageBy(database, accountId, wanted),
      series: (accountId, wanted) => usageSeries(database, accountId, wanted),
      keyNames: (accountId, keyIds) => findKeyNames(database, accountId, keyIds),
      funds: (accountId, nowMs) => fundsOf(database, accountId, month(nowMs)),
    },
  };
}

async function fundsOf(database: Database, accountId: number, month: string): Promise<FundsView> {
  const account = await findAccountView(database, accountId);
  assert(account !== undefined, 'a login has an account');
  const { funds, extraApiQuotaMicro } = account;
  return {
    ...funds,
    extraApiQuotaMicro,
    monthSpentMicro: funds.month === month ? funds.monthSpentMicro : 0n,
  };
}

/** The ports of the public endpoints. */
export function bindPublic(data: Data, context: AppContext): PublicNeeds {
  const { database } = data;
  const { config } = context;
  return {
    deps: accountEndpointDeps(data, context),
    creditsPerYuan: config.creditsPerYuan,
    nodeName: config.nodeName,
    publicUrl: config.publicUrl,
    settings: {
      registration: async () => (await findRegistration(database)) ?? config.registration,
      isOperatorMissing: () => isOperatorMissing(database),
    },
    accounts: { find: (accountId) => findAccountView(database, accountId) },
    findRefusal: (model, standing, nowMs) => admit(model, standing, nowMs)?.message,
    offer: { nodes: () => nodesWithOwn(database, config) },
    ranking: { traffic: (sinceMs) => loadModelTraffic(database, sinceMs) },
    feedback: {
      keep: ({ address, ...feedback }, waitMs) =>
        keepFeedback(database, { ...feedback, sender: visitorAddress(address) }, waitMs),
    },
  };
}

/** Includes this node before its first heartbeat, and without a row of the catalogue. */
async function nodesWithOwn(
  database: Database,
  { nodeName, publicUrl = '', role }: Pick<Config, 'nodeName' | 'publicUrl' | 'role'>,
): Promise<readonly NodeView[]> {
  const found = await loadLiveNodes(database);
  if (role === 'platform') return found;
  const known = found.find(({ name }) => name === nodeName);
  const own = {
    ...(known ?? { name: nodeName, baseUrl: '', region: 'default', rateMicro: LIST_RATE_MICRO }),
    ...{ alive: true, lastSeenAtMs: systemClock.now() },
  };
  const others = found.filter(({ name }) => name !== nodeName);
  return [...others, { ...own, baseUrl: own.baseUrl === '' ? publicUrl : own.baseUrl }].sort((one, other) =>
    one.name < other.name ? -1 : 1,
  );
}
