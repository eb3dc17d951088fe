import { REASON_LENGTH_MAX } from '../../bounds.ts';
import { formatMicro, parseMicro } from '../../kernel/money.ts';
import type { Setup } from '../../setup.ts';
import { type MoneyMove, moveAudited } from '../../store/operations/operator-money.ts';
import {
  type Command,
  CommandFailed,
  type CommandInput,
  EXIT,
  requiredOption,
  UsageError,
} from '../command.ts';
import { auditContext, terminal } from '../operator-context.ts';
import { say } from '../table.ts';
import { optionalValue } from '../values.ts';
import { withStore } from '../workspace.ts';
import { ACCOUNT_HELP, ACCOUNT_OPTION, JSON_HELP, requireAccount } from './account-option.ts';

export const accountAdjust: Command = {
  name: 'account adjust',
  summary: 'Increase or reduce the balance or Credits of an account; never below zero.',
  usage: '--account EMAIL (--balance AMOUNT | --credits AMOUNT) --reason TEXT [--json]',
  options: {
    ...ACCOUNT_OPTION,
    balance: { type: 'string' },
    credits: { type: 'string' },
    reason: { type: 'string' },
  },
  help: [
    ACCOUNT_HELP,
    '--balance AMOUNT change in yuan, e.g. 12.50, or --balance=-12.50',
    '--credits AMOUNT change in Credits, e.g. 100, or --credits=-100',
    `--reason TEXT    reason, up to ${REASON_LENGTH_MAX} characters; recorded in the ledger and the audit log`,
    JSON_HELP,
  ],
  run: (input) => {
    const reason = requiredOption(input, 'reason');
    if (reason.trim() === '' || reason.length > REASON_LENGTH_MAX) {
      throw new UsageError(`--reason must have 1 to ${REASON_LENGTH_MAX} characters`);
    }
    const wanted = { kind: 'adjustment', reason, ...changeOf(input) } as const;
    return withStore(input, (setup) => moveMoney(setup, input, wanted));
  },
};

/** Writes one ledger entry and one line of the audit log, with the command as its action. */
export async function moveMoney(setup: Setup, input: CommandInput, wanted: MoneyMove): Promise<number> {
  const accountId = await requireAccount(setup, input);
  const action = wanted.kind === 'adjustment' ? 'account adjust' : 'account top-up';
  const moved = await moveAudited(auditContext(setup, input), accountId, wanted, terminal(action));
  if (moved.kind !== 'moved') throw new CommandFailed(REASONS[moved.kind]);
  const credits = formatMicro(moved.funds.creditsMicro);
  const balance = formatMicro(moved.funds.balanceMicro);
  say(input, { id: accountId, credits, balance }, [`now ${credits} Credits, balance ${balance} yuan`]);
  return EXIT.ok;
}

const REASONS = {
  'not-found': 'the account no longer exists',
  insufficient: 'the account does not have enough',
  'too-much': 'the account would exceed the maximum that an account may have',
} as const;

function changeOf(input: CommandInput): {
  readonly pool: 'balance' | 'credits';
  readonly changeMicro: bigint;
} {
  const balance = optionalValue(input, 'balance', signedAmount);
  const credits = optionalValue(input, 'credits', signedAmount);
  if (balance !== undefined && credits === undefined) return { pool: 'balance', changeMicro: balance };
  if (credits !== undefined && balance === undefined) return { pool: 'credits', changeMicro: credits };
  throw new UsageError('give either --balance or --credits');
}

function signedAmount(text: string, name: string): bigint {
  const amount = parseMicro(text);
  if (amount === undefined || amount === 0n) {
    throw new UsageError(`--${name} must be a decimal other than 0 with at most six decimals, e.g. -12.50`);
  }
  return amount;
}
