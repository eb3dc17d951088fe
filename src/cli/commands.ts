import { accountCreate } from './account.ts';
import { apply } from './apply.ts';
import type { Command } from './command.ts';
import { demo } from './demo.ts';
import { doctor } from './doctor.ts';
import { keyCreate, keyList, keyRevoke } from './key.ts';
import { migrate } from './migrate.ts';
import { serve } from './serve.ts';

/** Every command of the `tollgate` program. */
export const COMMANDS: readonly Command[] = [
  serve,
  demo,
  apply,
  migrate,
  doctor,
  keyCreate,
  keyList,
  keyRevoke,
  accountCreate,
];
