import type { Data } from '../../../api/api.ts';
import { Empty } from '../../../parts/page/empty.tsx';
import { Section } from '../../../parts/page/layout.tsx';
import { type Column, Table } from '../../../parts/table/table.tsx';
import { count, credits, money, percent } from '../../../parts/text/format.ts';
import { useTexts } from '../../../texts/language.ts';
import type { Period } from './route.ts';
import { en } from './texts.en.ts';
import { zh } from './texts.zh.ts';

type Account = Data<'getOverviewByAccount'>['accounts'][number];

interface TopAccountsProps {
  readonly rows: readonly Account[] | undefined;
  readonly period: Period;
}

const ROWS_MAX = 8;

/** Who uses most. */
export function TopAccounts({ rows, period }: TopAccountsProps) {
  const t = useTexts({ en, zh });
  const columns: readonly Column<Account>[] = [
    { key: 'email', header: t.account, main: true, cell: ({ email }) => email },
    { key: 'calls', header: t.calls, align: 'right', cell: ({ calls }) => count(calls) },
    {
      ...{ key: 'failed', header: t.failed, align: 'right', tone: 'sub', priority: 2 },
      cell: ({ calls, failed }) => percent(failed / calls),
    },
    { key: 'credits', header: t.credits, align: 'right', cell: (account) => credits(account.credits) },
    {
      ...{ key: 'amount', header: t.worth, align: 'right', tone: 'sub', priority: 1 },
      cell: ({ amount }) => money(amount, { decimals: 6 }),
    },
  ];
  return (
    <Section title={t.topAccounts} note={t.periods[period]}>
      <Table
        label={t.topAccounts}
        columns={columns}
        rows={rows?.slice(0, ROWS_MAX)}
        rowKey={({ account_id }) => String(account_id)}
        rowLink={({ account_id }) => ({ to: '/operator/accounts/$id', params: { id: String(account_id) } })}
        skeletonRows={5}
        empty={<Empty plain title={t.noAccounts} />}
      />
    </Section>
  );
}
