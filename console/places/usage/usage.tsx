import { fileAddress } from '../../api/api.ts';
import { AnchorButton, Button, LinkButton } from '../../parts/button.tsx';
import { Empty } from '../../parts/page/empty.tsx';
import { ErrorNote } from '../../parts/page/error-note.tsx';
import { Columns, Page, PageHead } from '../../parts/page/layout.tsx';
import { useNow } from '../../parts/text/now.ts';
import { WideOnly } from '../../parts/text/text.tsx';
import { day, dayOfYear } from '../../parts/text/times.ts';
import { useLanguage, useTexts } from '../../texts/language.ts';
import { type Usage as UsageData, usageQuery, useUsage, useUsageRefresh } from './data.ts';
import { UsageFilterBar } from './filters.tsx';
import { GroupTable } from './group-table.tsx';
import { PayerNote } from './payer-note.tsx';
import { lengthOf, PRESETS, spanOf } from './period.ts';
import { CustomRange, PeriodPicker } from './period-picker.tsx';
import { PointPanel } from './point-panel.tsx';
import { usageRoute } from './route.ts';
import { filtersOf, type UsageSearch } from './search.ts';
import { en } from './texts.en.ts';
import { zh } from './texts.zh.ts';
import css from './usage.module.css';
import { UsageChart } from './usage-chart.tsx';
import type { OnUsageSearch, UsageView } from './view.ts';

export function Usage() {
  const t = useTexts({ en, zh });
  const search = usageRoute.useSearch();
  const navigate = usageRoute.useNavigate();
  const span = spanOf(search, useNow(60_000));
  const step = span.steps.find((each) => each === search.step) ?? span.steps[0];
  const wanted = { span, step, by: search.by ?? ('model' as const), filters: search };
  const usage = useUsage(wanted);
  useUsageRefresh();
  const onSearch: OnUsageSearch = (change, options) =>
    navigate({ search: (now) => ({ ...now, ...change }), resetScroll: false, ...options });
  const view = { search, span, step, onSearch };
  const data = usage.data?.data;
  return (
    <Page>
      <Head {...view} />
      <UsageFilterBar {...view} />
      {usage.error !== null && (
        <ErrorNote
          cause={t.cannotRead}
          requestId={usage.error.requestId}
          onRetry={() => void usage.refetch()}
          retrying={usage.isFetching}
        />
      )}
      {data !== undefined && data.total.calls === 0 && (data.before?.total.calls ?? 0) === 0 ? (
        <NoUsage {...view} />
      ) : (
        <>
          <div className={css.main}>
            <Columns side={<PointPanel {...view} usage={data} />}>
              <UsageChart {...view} usage={data} />
            </Columns>
          </div>
          <Sums {...view} usage={data} />
        </>
      )}
    </Page>
  );
}

function Sums({ usage, ...view }: UsageView & { readonly usage: UsageData | undefined }) {
  return (
    <section className={css.sums}>
      <GroupTable {...view} usage={usage} />
      <PayerNote {...view} />
    </section>
  );
}

function Head({ search, span, step, onSearch }: UsageView) {
  const t = useTexts({ en, zh });
  const language = useLanguage();
  const [first, last] = [span.firstDay, span.lastDay].map((each) => dayOfYear(each, language));
  const query = { ...usageQuery({ span, step, by: search.by ?? 'model', filters: search }) };
  const choose = (change: UsageSearch) => onSearch({ step: undefined, at: undefined, ...change });
  return (
    <>
      <PageHead
        title={t.title}
        lead={first === last ? t.oneDay(first ?? '') : t.lead(first ?? '', last ?? '')}
      >
        <PeriodPicker offered={PRESETS} search={search} span={span} onChange={choose} />
        <AnchorButton
          icon="download"
          aria-label={t.export}
          href={fileAddress('exportUsage', { query })}
          download=""
        >
          <WideOnly>{t.export}</WideOnly>
        </AnchorButton>
      </PageHead>
      {search.period === 'custom' && (
        <CustomRange
          key={`${span.firstDay} ${span.lastDay}`}
          span={span}
          today={day(Date.now())}
          onChange={choose}
        />
      )}
    </>
  );
}

/** Nothing was called at all, or not in this period with these filters. */
function NoUsage({ search, span, onSearch }: UsageView) {
  const t = useTexts({ en, zh });
  const filters = Object.keys(filtersOf(search));
  const isWide = search.period === 'year' || lengthOf(span) > 360;
  if (filters.length === 0 && isWide) {
    return (
      <Empty
        title={t.empty.title}
        action={
          <LinkButton to="/start" variant="primary">
            {t.empty.action}
          </LinkButton>
        }
      >
        {t.empty.text}
      </Empty>
    );
  }
  const drop = { model: undefined, key_id: undefined, protocol: undefined, payer: undefined };
  return (
    <Empty
      title={t.emptyFiltered.title}
      action={
        filters.length > 0 ? (
          <Button onClick={() => onSearch(drop)}>{t.emptyFiltered.drop}</Button>
        ) : (
          <Button onClick={() => onSearch({ period: 'year', from: undefined, to: undefined })}>
            {t.emptyFiltered.action}
          </Button>
        )
      }
    >
      {t.emptyFiltered.text}
    </Empty>
  );
}
