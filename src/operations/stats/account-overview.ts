import { formatMicro } from '../../kernel/money.ts';
import { findAccountSales } from '../../store/operations/operator-stats.ts';
import { ID, SHOWN_AMOUNT, TIME } from '../fields.ts';
import { data, type Operation, operation } from '../operation.ts';
import { OPERATORS } from '../operator.ts';
import { Type } from '../schema.ts';
import { PERIOD_QUERY, readPeriod } from './overview.ts';

const COUNT = Type.Integer({ minimum: 0 });

const accounts = operation({
  ...OPERATORS,
  name: 'overview.accounts',
  id: 'getOverviewByAccount',
  method: 'GET',
  path: '/overview/accounts',
  tag: 'Overview',
  title: 'Get the overview by account',
  summary: 'The accounts that used most Credits in a period, at most twenty.',
  query: PERIOD_QUERY,
  data: Type.Object({
    ...{ from: TIME, to: TIME },
    accounts: Type.Array(
      Type.Object({
        ...{ account_id: ID, email: Type.String(), calls: COUNT, failed: COUNT },
        credits: Type.String({ ...SHOWN_AMOUNT, description: 'Paid for calls, in Credits.' }),
        amount: Type.String({
          ...SHOWN_AMOUNT,
          description: 'At the prices of the platform, for all payers.',
        }),
      }),
    ),
  }),
  example: {
    data: {
      ...{ from: '2026-11-14 09:00:00', to: '2026-11-15 10:00:00' },
      accounts: [
        {
          ...{ account_id: 12, email: 'you@example.com', calls: 18_204, failed: 76 },
          ...{ credits: '271920', amount: '271.92' },
        },
      ],
    },
  },
  handle: async ({ query }, context) => {
    const period = readPeriod(query, context);
    if ('kind' in period) return period;
    const found = await findAccountSales(context.database, period);
    const shown = found.map(({ accountId, email, calls, failed, creditsMicro, amountMicro }) => ({
      ...{ account_id: accountId, email, calls, failed },
      ...{ credits: formatMicro(creditsMicro), amount: formatMicro(amountMicro) },
    }));
    const { showTime } = context;
    return data({ from: showTime(period.fromMs), to: showTime(period.toMs), accounts: shown });
  },
});

/** Who uses most. */
export const accountOverviewOperations: readonly Operation[] = [accounts];
