import { accountCreate } from './account.ts';
import { accountExchange, accountTopUp } from './account-money.ts';
import { accountSet } from './account-set.ts';
import { accountList, accountShow } from './account-show.ts';
import { apply } from './apply.ts';
import { callList, callShow } from './call.ts';
import type { Command } from './command.ts';
import { credentialAdd, credentialList, credentialRemove, credentialSet } from './credential.ts';
import { demo } from './demo.ts';
import { doctor } from './doctor.ts';
import { keyCreate, keyList, keyRevoke } from './key.ts';
import { migrate } from './migrate.ts';
import { nodes } from './nodes.ts';
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
  accountCreate,
  accountList,
  accountShow,
  accountSet,
  accountTopUp,
  accountExchange,
  keyCreate,
  keyList,
  keyRevoke,
  subscriptionGrant,
  subscriptionList,
  subscriptionCancel,
  credentialAdd,
  credentialList,
  credentialSet,
  credentialRemove,
  callList,
  callShow,
];
