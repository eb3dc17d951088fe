import type { Funds } from '../accounts/contract.ts';
import { REASON_LENGTH_MAX } from '../bounds.ts';
import { creditsMicro } from '../catalog/price.ts';
import { AMOUNT_MICRO_MAX, formatMicro } from '../kernel/money.ts';
import type { Setup } from '../setup.ts';
import type { Pool } from '../store/charge.ts';
import type { Database } from '../store/database.ts';
import { type MovementResult, postExchange } from '../store/movement.ts';
import { moveMoney } from './account-adjust.ts';
import { ACCOUNT_HELP, ACCOUNT_OPTION, accountOf, JSON_HELP } from './account-option.ts';
import {
  type Command,
  CommandFailed,
  type CommandInput,
  EXIT,
  requiredOption,
  stringOption,
  UsageError,
} from './command.ts';
import { say } from './table.ts';
import { optionalValue, positiveAmount, requiredValue } from './values.ts';
import { untilInForce, withStore } from './workspace.ts';

export const accountTopUp: Command = {
  name: 'account top-up',
  summary: 'Add balance or Credits to an account, as one entry of the ledger.',
  usage: '--account EMAIL (--balance YUAN | --credits N) --reason TEXT [--json]',
  options: {
    ...ACCOUNT_OPTION,
    balance: { type: 'string' },
    credits: { type: 'string' },
    reason: { type: 'string' },
  },
  help: [
    ACCOUNT_HELP,
    '--balance YUAN   a paid amount, e.g. 12.50',
    '--credits N      granted Credits, e.g. 1000',
    `--reason TEXT    why, e.g. an order number; up to ${REASON_LENGTH_MAX} characters, kept in the ledger`,
    JSON_HELP,
  ],
  run: async (input) => {
    const reason = reasonOf(input);
    const { pool, amountMicro } = topUpOf(input);
    const kind = pool === 'balance' ? 'top_up' : 'grant';
    const wanted = { kind, pool, changeMicro: amountMicro, reason } as const;
    return withStore(input, (setup) => moveMoney(setup, input, wanted));
  },
};

export const accountExchange: Command = {
  name: 'account exchange',
  summary: "Turn balance into Credits at the platform's factor.",
  usage: '--account EMAIL --amount YUAN [--reason TEXT] [--json]',
  options: { ...ACCOUNT_OPTION, amount: { type: 'string' }, reason: { type: 'string' } },
  help: [
    ACCOUNT_HELP,
    '--amount YUAN    balance that becomes Credits, e.g. 12.50',
    `--reason TEXT    why; up to ${REASON_LENGTH_MAX} characters, kept in the ledger`,
    JSON_HELP,
  ],
  run: async (input) => {
    const amountMicro = requiredValue(input, 'amount', positiveAmount);
    const ref = stringOption(input, 'reason') === undefined ? 'account exchange' : reasonOf(input);
    return withStore(input, (setup) => {
      const { creditsPerYuan } = setup.config;
      if (creditsMicro(amountMicro, creditsPerYuan) > AMOUNT_MICRO_MAX) throw new CommandFailed(TOO_MUCH);
      return move(setup, input, (transaction, accountId) =>
        postExchange(transaction, { accountId, amountMicro, creditsPerYuan, ref }),
      );
    });
  },
};

function topUpOf(input: CommandInput): { readonly pool: Pool; readonly amountMicro: bigint } {
  const balance = optionalValue(input, 'balance', positiveAmount);
  const credits = optionalValue(input, 'credits', positiveAmount);
  if (balance !== undefined && credits === undefined) return { pool: 'balance', amountMicro: balance };
  if (credits !== undefined && balance === undefined) return { pool: 'credits', amountMicro: credits };
  throw new UsageError('give either --balance or --credits');
}

function reasonOf(input: CommandInput): string {
  const reason = requiredOption(input, 'reason');
  if (reason.trim() === '' || reason.length > REASON_LENGTH_MAX) {
    throw new UsageError(`--reason has 1 to ${REASON_LENGTH_MAX} characters`);
  }
  return reason;
}

const TOO_MUCH = 'the account would have more than any account may have';

async function move(
  setup: Setup,
  input: CommandInput,
  post: (transaction: Database, accountId: number) => Promise<MovementResult>,
): Promise<number> {
  const accountId = await accountOf(setup, input);
  const funds = await setup.database.transaction(async (transaction) => {
    const result = await post(transaction, accountId);
    if (result.kind === 'insufficient') throw new CommandFailed('the account does not have that much');
    checkMost(result.funds);
    return result.funds;
  });
  await untilInForce(setup, input);
  const credits = formatMicro(funds.creditsMicro);
  const balance = formatMicro(funds.balanceMicro);
  say(input, { id: accountId, credits, balance }, [`now ${credits} Credits, balance ${balance} yuan`]);
  return EXIT.ok;
}

/** Thrown inside the transaction, so that nothing of it stays. */
function checkMost({ creditsMicro: credits, balanceMicro: balance }: Funds): void {
  if (credits > AMOUNT_MICRO_MAX || balance > AMOUNT_MICRO_MAX) throw new CommandFailed(TOO_MUCH);
}
