import { LinkButton } from '../../parts/button.tsx';
import { useLoaded } from '../../parts/loaded.ts';
import { Empty } from '../../parts/page/empty.tsx';
import { ErrorNote } from '../../parts/page/error-note.tsx';
import { Columns, Page, PageHead } from '../../parts/page/layout.tsx';
import { useNow } from '../../parts/text/now.ts';
import { day, dayOfYear } from '../../parts/text/times.ts';
import { useLanguage, useTexts } from '../../texts/language.ts';
import { useUsage, useUsageRefresh } from '../usage/data.ts';
import { lengthOf, spanOf, USUAL_PERIOD } from '../usage/period.ts';
import { CustomRange, PeriodPicker } from '../usage/period-picker.tsx';
import { en as usageEn } from '../usage/texts.en.ts';
import { zh as usageZh } from '../usage/texts.zh.ts';
import { useLatestCalls } from './latest-data.ts';
import { LatestPlace } from './latest-place.tsx';
import { overviewRoute } from './route.ts';
import { Side } from './side.tsx';
import { Spend } from './spend.tsx';
import { en } from './texts.en.ts';
import { zh } from './texts.zh.ts';
import { Tiles } from './tiles.tsx';
import type { OverviewView } from './view.ts';

/** As many as stand beside each other below the chart, with all others. */
const GROUPS = 5;
/** The table is read while the server looks for its calls. */
const loadLatestCalls = () => import('./latest-calls.tsx');
const OFFERED = ['24h', '7d', '30d'] as const;

export function Overview() {
  const t = useTexts({ en, zh });
  const search = overviewRoute.useSearch();
  const navigate = overviewRoute.useNavigate();
  const span = spanOf(search, useNow(60_000));
  const usage = useUsage({ span, by: search.by ?? 'model', groups: GROUPS });
  const latest = useLatestCalls();
  const LatestCalls = useLoaded(loadLatestCalls)?.default;
  useUsageRefresh();
  const view: OverviewView = {
    ...{ search, span },
    onSearch: (change) => navigate({ search: (now) => ({ ...now, ...change }), resetScroll: false }),
  };
  const data = usage.data?.data;
  const isNew = latest.calls?.length === 0 && data?.total.calls === 0;
  return (
    <Page>
      <Head {...view} />
      {usage.error !== null && (
        <ErrorNote
          cause={t.cannotRead}
          requestId={usage.error.requestId}
          onRetry={() => void usage.refetch()}
          retrying={usage.isFetching}
        />
      )}
      <Tiles usage={data} />
      <Columns side={<Side />}>
        {isNew ? (
          <FirstSteps />
        ) : (
          <>
            <Spend {...view} usage={data} />
            {LatestCalls === undefined ? <LatestPlace /> : <LatestCalls {...latest} />}
          </>
        )}
      </Columns>
    </Page>
  );
}

function Head({ search, span, onSearch }: OverviewView) {
  const t = useTexts({ en, zh });
  const { before } = useTexts({ en: usageEn, zh: usageZh });
  const language = useLanguage();
  const { period = USUAL_PERIOD } = search;
  const [first = '', last = ''] = [span.firstDay, span.lastDay].map((each) => dayOfYear(each, language));
  const name = period === 'custom' ? before.custom(lengthOf(span)) : before[period];
  return (
    <>
      <PageHead title={t.title} lead={period === '24h' ? t.leadHours(name) : t.lead(first, last, name)}>
        <PeriodPicker offered={OFFERED} search={search} span={span} onChange={onSearch} />
        <LinkButton to="/keys" search={{ open: 'new' }} variant="primary" icon="plus">
          {t.newKey}
        </LinkButton>
      </PageHead>
      {period === 'custom' && (
        <CustomRange
          key={`${span.firstDay} ${span.lastDay}`}
          span={span}
          today={day(Date.now())}
          onChange={onSearch}
        />
      )}
    </>
  );
}

/** A new account: the one thing to do next. */
function FirstSteps() {
  const t = useTexts({ en, zh });
  return (
    <Empty
      title={t.empty.title}
      action={
        <LinkButton to="/start" variant="primary" icon="start">
          {t.empty.action}
        </LinkButton>
      }
    >
      {t.empty.text}
    </Empty>
  );
}
