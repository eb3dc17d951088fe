import { REASON_LENGTH_MAX } from '../../bounds.ts';
import { creditsMicro } from '../../catalog/price.ts';
import { AMOUNT_MICRO_MAX, formatMicro } from '../../kernel/money.ts';
import type { Setup } from '../../setup.ts';
import type { Pool } from '../../store/ledger/charge.ts';
import type { Exchange } from '../../store/ledger/movement.ts';
import { exchangeAudited } from '../../store/operations/operator-holdings.ts';
import {
  type Command,
  CommandFailed,
  type CommandInput,
  EXIT,
  requiredOption,
  stringOption,
  UsageError,
} from '../command.ts';
import { auditContext, terminal } from '../operator-context.ts';
import { say } from '../table.ts';
import { optionalValue, positiveAmount, requiredValue } from '../values.ts';
import { withStore } from '../workspace.ts';
import { moveMoney } from './account-adjust.ts';
import { ACCOUNT_HELP, ACCOUNT_OPTION, JSON_HELP, requireAccount } from './account-option.ts';

export const accountTopUp: Command = {
  name: 'account top-up',
  summary: 'Add balance or Credits to an account, as one ledger entry.',
  usage: '--account EMAIL (--balance AMOUNT | --credits AMOUNT) --reason TEXT [--json]',
  options: {
    ...ACCOUNT_OPTION,
    balance: { type: 'string' },
    credits: { type: 'string' },
    reason: { type: 'string' },
  },
  help: [
    ACCOUNT_HELP,
    '--balance AMOUNT yuan to add, e.g. 12.50',
    '--credits AMOUNT Credits to add, e.g. 1000',
    `--reason TEXT    e.g. an order number; up to ${REASON_LENGTH_MAX} characters, recorded in the ledger`,
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
  summary: 'Exchange balance into Credits at the rate of the platform.',
  usage: '--account EMAIL --amount YUAN [--reason TEXT] [--json]',
  options: { ...ACCOUNT_OPTION, amount: { type: 'string' }, reason: { type: 'string' } },
  help: [
    ACCOUNT_HELP,
    '--amount YUAN    balance to exchange, e.g. 12.50',
    `--reason TEXT    reason, up to ${REASON_LENGTH_MAX} characters; recorded in the ledger`,
    JSON_HELP,
  ],
  run: async (input) => {
    const amountMicro = requiredValue(input, 'amount', positiveAmount);
    const ref = stringOption(input, 'reason') === undefined ? 'account exchange' : reasonOf(input);
    return withStore(input, (setup) => exchange(setup, input, { amountMicro, ref }));
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
    throw new UsageError(`--reason must have 1 to ${REASON_LENGTH_MAX} characters`);
  }
  return reason;
}

const TOO_MUCH = 'the account would exceed the maximum that an account may have';

async function exchange(
  setup: Setup,
  input: CommandInput,
  { amountMicro, ref }: Pick<Exchange, 'amountMicro' | 'ref'>,
): Promise<number> {
  const { creditsPerYuan } = setup.config;
  if (creditsMicro(amountMicro, creditsPerYuan) > AMOUNT_MICRO_MAX) throw new CommandFailed(TOO_MUCH);
  const accountId = await requireAccount(setup, input);
  const wanted = { accountId, amountMicro, creditsPerYuan, ref };
  const done = await exchangeAudited(auditContext(setup, input), wanted, terminal('account exchange'));
  if (done.kind === 'insufficient') throw new CommandFailed('the account does not have enough');
  if (done.kind === 'too-much') throw new CommandFailed(TOO_MUCH);
  const credits = formatMicro(done.funds.creditsMicro);
  const balance = formatMicro(done.funds.balanceMicro);
  say(input, { id: accountId, credits, balance }, [`now ${credits} Credits, balance ${balance} yuan`]);
  return EXIT.ok;
}
