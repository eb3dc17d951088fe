import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { type Data, useApi } from '../../api/api.ts';
import { Segmented } from '../../parts/form/segmented.tsx';
import { Empty } from '../../parts/page/empty.tsx';
import { ErrorNote } from '../../parts/page/error-note.tsx';
import { Page, PageHead, Section } from '../../parts/page/layout.tsx';
import { type Column, Table } from '../../parts/table/table.tsx';
import { count, countShort, duration, written } from '../../parts/text/format.ts';
import { Dim } from '../../parts/text/text.tsx';
import { useLanguage, useTexts } from '../../texts/language.ts';
import css from './rankings.module.css';
import { ORDERS, PERIODS, rankingsRoute } from './route.ts';
import { en } from './texts.en.ts';
import { zh } from './texts.zh.ts';

type Used = Data<'rankModelsByUse'>['models'][number];
type Fast = Data<'rankModelsBySpeed'>['models'][number];

/** Which models people use, and how fast they are here: measured on the calls of this gateway. */
export function Rankings() {
  const t = useTexts({ en, zh });
  const { period = 'week' } = useSearch({ from: rankingsRoute.id });
  const navigate = useNavigate({ from: '/rankings' });
  return (
    <Page>
      <PageHead title={t.title} lead={t.lead}>
        <Segmented
          label={t.period}
          value={period}
          onChange={(next) => void navigate({ search: (now) => ({ ...now, period: next }), replace: true })}
          options={PERIODS.map((value) => ({ value, label: t.periods[value] }))}
        />
      </PageHead>
      <div className={css.both}>
        <Popular />
        <Speed />
      </div>
    </Page>
  );
}

function ModelLink({ model }: { readonly model: string }) {
  return (
    <Link to="/models" search={{ model } as never}>
      {model}
    </Link>
  );
}

function Popular() {
  const t = useTexts({ en, zh });
  const language = useLanguage();
  const { period = 'week', by = 'calls' } = useSearch({ from: rankingsRoute.id });
  const navigate = useNavigate({ from: '/rankings' });
  const ranking = useApi(
    'rankModelsByUse',
    { query: { period, by } },
    { placeholderData: (before) => before },
  );
  const most = Math.max(1, ...(ranking.data?.data.models ?? []).map((each) => each[by]));
  const columns: readonly Column<Used>[] = [
    { key: 'rank', header: '#', tone: 'dim', width: '40px', cell: ({ rank }) => rank },
    { key: 'model', header: t.model, cell: ({ model_id }) => <ModelLink model={model_id} /> },
    {
      key: 'share',
      header: '',
      priority: 1,
      cell: (each) => (
        <span className={css.track}>
          <span style={{ width: `${(each[by] / most) * 100}%` }} />
        </span>
      ),
    },
    ...ORDERS.toSorted((one, other) => Number(one === by) - Number(other === by)).map(
      (order): Column<Used> => ({
        ...{ key: order, header: t.orders[order], align: 'right' },
        ...(order !== by && { priority: 3, tone: 'dim' }),
        cell: (each) =>
          order === 'tokens' ? (
            <span title={count(each.tokens)}>{written(countShort(each.tokens, language))}</span>
          ) : (
            count(each[order])
          ),
      }),
    ),
  ];
  return (
    <Section
      title={t.popular}
      right={
        <Segmented
          size="sm"
          label={t.order}
          value={by}
          onChange={(next) => void navigate({ search: (now) => ({ ...now, by: next }), replace: true })}
          options={ORDERS.map((value) => ({ value, label: t.orders[value] }))}
        />
      }
    >
      {ranking.isError && <ErrorNote cause={t.unread} onRetry={() => void ranking.refetch()} />}
      <Table
        label={t.popular}
        columns={columns}
        rows={ranking.data?.data.models}
        rowKey={({ model_id }) => model_id}
        empty={<Empty plain title={t.none} />}
      />
    </Section>
  );
}

function Speed() {
  const t = useTexts({ en, zh });
  const { period = 'week' } = useSearch({ from: rankingsRoute.id });
  const ranking = useApi('rankModelsBySpeed', { query: { period } }, { placeholderData: (before) => before });
  const columns: readonly Column<Fast>[] = [
    { key: 'rank', header: '#', tone: 'dim', width: '40px', cell: ({ rank }) => rank },
    { key: 'model', header: t.model, cell: ({ model_id }) => <ModelLink model={model_id} /> },
    {
      key: 'samples',
      header: t.samples,
      align: 'right',
      priority: 3,
      cell: ({ tokens_per_second_samples: samples }) => <Dim>{count(samples)}</Dim>,
    },
    {
      key: 'speed',
      header: t.speed,
      align: 'right',
      cell: ({ tokens_per_second: speed }) => (speed === null ? '–' : t.perSecond(speed.toFixed(1))),
    },
    {
      key: 'first',
      header: t.first,
      align: 'right',
      cell: ({ ttft_ms }) => written(duration(ttft_ms)),
    },
  ];
  return (
    <Section title={t.fast} note={t.measured}>
      {ranking.isError && <ErrorNote cause={t.unread} onRetry={() => void ranking.refetch()} />}
      <Table
        label={t.fast}
        columns={columns}
        rows={ranking.data?.data.models}
        rowKey={({ model_id }) => model_id}
        empty={<Empty plain title={t.none} />}
      />
    </Section>
  );
}
