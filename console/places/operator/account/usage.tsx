import { type Row, useApi } from '../../../api/api.ts';
import { useServerTimes } from '../../../app/server-time.ts';
import { BarChart } from '../../../parts/chart/chart.tsx';
import { Empty } from '../../../parts/page/empty.tsx';
import { Section } from '../../../parts/page/layout.tsx';
import { Skeleton } from '../../../parts/page/skeleton.tsx';
import { type Column, Table } from '../../../parts/table/table.tsx';
import { count, credits, duration, money, percent, written } from '../../../parts/text/format.ts';
import { useNow } from '../../../parts/text/now.ts';
import { Mono } from '../../../parts/text/text.tsx';
import { dayOfYear } from '../../../parts/text/times.ts';
import { useLanguage, useTexts } from '../../../texts/language.ts';
import { ReadError } from '../shared.tsx';
import type { Account } from './data.ts';
import { en } from './texts.en.ts';
import { zh } from './texts.zh.ts';

type ByModel = Row<'getUsageByModelOfAccount'>;

const DAY_MS = 86_400_000;
const HEIGHT = 180;

/** Thirty days: what was used, day by day and by model. */
export function Usage({ account: { id } }: { readonly account: Account }) {
  const t = useTexts({ en, zh });
  const language = useLanguage();
  const times = useServerTimes();
  const now = useNow(DAY_MS);
  const query = { from: `${times.write(now - 29 * DAY_MS).slice(0, 10)} 00:00:00` };
  const params = { account_id: id };
  const trend = useApi('getUsageOverTimeOfAccount', { params, query: { ...query, granularity: 'day' } });
  const models = useApi('getUsageByModelOfAccount', { params, query });
  const points = trend.data?.data;
  const columns: readonly Column<ByModel>[] = [
    { key: 'model', header: t.model, cell: ({ model_id }) => <Mono>{model_id}</Mono> },
    { key: 'calls', header: t.calls, align: 'right', cell: ({ calls }) => count(calls) },
    {
      ...{ key: 'failed', header: t.failed, align: 'right', tone: 'sub', priority: 2 },
      cell: ({ calls, failed }) => percent(failed / calls),
    },
    { key: 'in', header: t.tokensIn, align: 'right', priority: 2, cell: (row) => count(row.input_tokens) },
    { key: 'out', header: t.tokensOut, align: 'right', priority: 2, cell: (row) => count(row.output_tokens) },
    {
      ...{ key: 'wait', header: t.firstToken, align: 'right', tone: 'sub', priority: 3 },
      cell: ({ ttft_ms }) => written(duration(ttft_ms)),
    },
    { key: 'credits', header: t.credits, align: 'right', priority: 1, cell: (row) => credits(row.credits) },
    {
      ...{ key: 'amount', header: t.amount, align: 'right' },
      cell: ({ amount }) => money(amount, { decimals: 6 }),
    },
  ];
  return (
    <>
      <Section title={t.perDay} note={t.perDayNote}>
        <ReadError query={trend} />
        {points === undefined ? (
          <Skeleton width="100%" height={`${HEIGHT}px`} />
        ) : (
          <BarChart
            label={`${t.perDay}, ${t.perDayNote}`}
            labels={points.map(({ time }) => dayOfYear(time, language))}
            height={HEIGHT}
            format={(value) => money(String(value))}
            note={(index) => t.callsOfDay(count(points[index]?.calls ?? 0))}
            series={[
              {
                ...{ key: 'amount', label: t.amount, colour: 1 },
                values: points.map(({ amount }) => Number(amount)),
                texts: points.map(({ amount }) => money(amount, { decimals: 6 })),
              },
            ]}
          />
        )}
      </Section>
      <Section title={t.byModel} note={t.last30}>
        <Table
          label={t.byModel}
          columns={columns}
          rows={models.data?.data}
          rowKey={({ model_id }) => model_id}
          skeletonRows={4}
          empty={<Empty plain title={t.noCalls} />}
        />
      </Section>
    </>
  );
}
