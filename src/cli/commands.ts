import { accountCreate } from './account/account.ts';
import { accountLogout, accountPassword, accountSessions } from './account/account-access.ts';
import { accountExport, accountLedger, accountUsage } from './account/account-logs.ts';
import { accountAdjust, accountExchange, accountTopUp } from './account/account-money.ts';
import { accountNote } from './account/account-note.ts';
import { accountSet } from './account/account-set.ts';
import { accountList, accountShow } from './account/account-show.ts';
import { accountVerify, verificationList } from './account/account-verify.ts';
import { backup } from './backup/backup.ts';
import { restore } from './backup/restore.ts';
import type { Command } from './command.ts';
import {
  alertAdd,
  alertChannels,
  alertDeliveries,
  alertRemove,
  alertResend,
  alertSet,
  alertStates,
  alertTest,
} from './commands/alerts.ts';
import { apply } from './commands/apply.ts';
import { callList, callSearch, callShow } from './commands/call.ts';
import { catalogDelete, catalogExport, catalogList, catalogShow } from './commands/catalog.ts';
import { clickhouseForget, clickhouseStatus, clickhouseTable } from './commands/clickhouse.ts';
import { credentialAdd, credentialList, credentialRemove, credentialSet } from './commands/credential.ts';
import { doctor } from './commands/doctor.ts';
import { auditList, feedbackDone, feedbackList, registration } from './commands/inbox.ts';
import { keyCreate, keyList, keyRevoke, keySet } from './commands/key.ts';
import { migrate } from './commands/migrate.ts';
import { nodes } from './commands/nodes.ts';
import { overview } from './commands/overview.ts';
import { pricesImport } from './commands/prices.ts';
import { reprice } from './commands/reprice.ts';
import { subscriptionCancel, subscriptionGrant, subscriptionList } from './commands/subscription.ts';
import { whatIf } from './commands/what-if.ts';
import { demo } from './demo/demo.ts';
import { secretRotate } from './secret/rotate.ts';
import { serve } from './serve/serve.ts';
import { vendorAdd } from './vendor/vendor-add.ts';
import { vendorList } from './vendor/vendor-list.ts';

/** Every command of the `tollgate` program. */
export const COMMANDS: readonly Command[] = [
  serve,
  demo,
  apply,
  migrate,
  doctor,
  backup,
  restore,
  secretRotate,
  clickhouseTable,
  clickhouseStatus,
  clickhouseForget,
  nodes,
  overview,
  vendorList,
  vendorAdd,
  catalogList,
  catalogShow,
  catalogExport,
  catalogDelete,
  whatIf,
  pricesImport,
  reprice,
  accountCreate,
  accountList,
  accountShow,
  accountSet,
  accountTopUp,
  accountAdjust,
  accountExchange,
  accountVerify,
  accountLogout,
  accountPassword,
  accountSessions,
  accountNote,
  accountUsage,
  accountLedger,
  accountExport,
  verificationList,
  keyCreate,
  keyList,
  keySet,
  keyRevoke,
  subscriptionGrant,
  subscriptionList,
  subscriptionCancel,
  credentialAdd,
  credentialList,
  credentialSet,
  credentialRemove,
  callList,
  callSearch,
  callShow,
  feedbackList,
  feedbackDone,
  auditList,
  registration,
  alertChannels,
  alertAdd,
  alertSet,
  alertRemove,
  alertTest,
  alertStates,
  alertDeliveries,
  alertResend,
];
