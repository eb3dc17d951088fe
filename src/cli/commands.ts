import { accountCreate } from './account.ts';
import { accountPassword, accountSessions } from './account-access.ts';
import { accountAdjust } from './account-adjust.ts';
import { accountExport, accountLedger, accountUsage } from './account-logs.ts';
import { accountExchange, accountTopUp } from './account-money.ts';
import { accountSet } from './account-set.ts';
import { accountList, accountShow } from './account-show.ts';
import { accountLogout, accountVerify, verificationList } from './account-verify.ts';
import { apply } from './apply.ts';
import { callList, callShow } from './call.ts';
import { callSearch } from './call-search.ts';
import { catalogDelete, catalogList, catalogShow } from './catalog.ts';
import type { Command } from './command.ts';
import { credentialAdd, credentialList, credentialRemove, credentialSet } from './credential.ts';
import { demo } from './demo.ts';
import { doctor } from './doctor.ts';
import { auditList, feedbackDone, feedbackList, registration } from './inbox.ts';
import { keyCreate, keyList, keyRevoke } from './key.ts';
import { keySet } from './key-set.ts';
import { migrate } from './migrate.ts';
import { nodes } from './nodes.ts';
import { overview } from './overview.ts';
import { serve } from './serve.ts';
import { subscriptionCancel, subscriptionGrant, subscriptionList } from './subscription.ts';

/** Every command of the `tollgate` program. */
export const COMMANDS: readonly Command[] = [
  serve,
  demo,
  apply,
  migrate,
  doctor,
  nodes,
  overview,
  catalogList,
  catalogShow,
  catalogDelete,
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
];
