import { useCallback, useMemo, useRef } from 'react';
import { fileAddress } from '../../api/api.ts';
import { useServerTimes } from '../../app/server-time.ts';
import { AnchorButton, Button, LinkButton } from '../../parts/button.tsx';
import { classes } from '../../parts/classes.ts';
import { Switch } from '../../parts/form/choice.tsx';
import { Split } from '../../parts/overlay/drawer.tsx';
import { Empty } from '../../parts/page/empty.tsx';
import { ErrorNote } from '../../parts/page/error-note.tsx';
import { Page, PageHead } from '../../parts/page/layout.tsx';
import { VirtualTable } from '../../parts/table/virtual-table.tsx';
import { count } from '../../parts/text/format.ts';
import { useNow } from '../../parts/text/now.ts';
import { WideOnly } from '../../parts/text/text.tsx';
import { useTexts } from '../../texts/language.ts';
import css from './calls.module.css';
import { type Bars, useBars, useCallPages } from './data.ts';
import { CallDrawer } from './detail/call-drawer.tsx';
import { useHiddenColumns } from './list/column-menu.tsx';
import { callColumns } from './list/columns.tsx';
import { CallFilters } from './list/filters.tsx';
import { Histogram } from './list/histogram.tsx';
import { useLiveTail } from './list/live-tail.ts';
import { useWalk } from './list/walk.ts';
import type { OnSearch } from './search.ts';
import { type Call, type CallSearch, filtersOf, given, type Of, queryOf, USUAL_PERIOD } from './search.ts';
import { en } from './texts.en.ts';
import { zh } from './texts.zh.ts';

export interface CallsPageProps {
  readonly of: Of;
  readonly path: '/calls' | '/operator/calls';
  readonly search: CallSearch;
  readonly onSearch: OnSearch;
}

const MINUTE_MS = 60_000;
/** With more of them the list scrolls sideways. */
const COLUMNS_THAT_FIT = 12;

/** The calls of an account, or of all: the list, its filters, and the call that is open. */
export function CallsPage(props: CallsPageProps) {
  const { of, path, search, onSearch } = props;
  const times = useServerTimes();
  const t = useTexts({ en, zh });
  const nowMs = useNow(MINUTE_MS);
  const bars = useBars(of, search, nowMs);
  const pages = useCallPages(of, search);
  const tail = useLiveTail(of, search);
  const columns = useHiddenColumns(of);
  const list = useRef<HTMLDivElement>(null);
  const walk = useWalk({ ...props, times, list, rows: pages.rows, more: pages });
  const shown = useMemo(
    () => callColumns({ of, hidden: columns.hidden, t, times }),
    [of, columns.hidden, t, times],
  );
  const { fetchNextPage, hasNextPage, isFetchingNextPage } = pages;
  const readMore = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [fetchNextPage, hasNextPage, isFetchingNextPage]);
  const close = useCallback(() => onSearch({ call: undefined }), [onSearch]);
  const drawer = search.call !== undefined && (
    <CallDrawer
      {...{ of, requestId: search.call, walk }}
      onClose={close}
      known={pages.rows?.find((row) => row.request_id === search.call)}
    />
  );
  return (
    <Split drawer={drawer}>
      <Page>
        <Head {...props} bars={bars} />
        <CallFilters {...{ of, search, onSearch }} columns={columns} />
        <Histogram {...{ bars, nowMs, onSearch, times }} />
        <div {...tail.pointer}>
          {tail.waiting > 0 && (
            <div className={css.arrived}>
              <Button variant="primary" size="sm" icon="up" onClick={tail.show}>
                {t.newCalls(count(tail.waiting))}
              </Button>
            </div>
          )}
          {pages.isError && pages.rows === undefined ? (
            <ErrorNote
              cause={t.cannotRead}
              requestId={pages.error?.requestId}
              onRetry={() => void pages.refetch()}
              retrying={pages.isFetching}
            />
          ) : (
            <div ref={list} className={classes(css.list, shown.length > COLUMNS_THAT_FIT && css.wide)}>
              <VirtualTable
                label={t.listLabel}
                columns={shown}
                rows={pages.rows}
                rowKey={keyOf}
                rowLink={(call) =>
                  ({ to: path, search: (now: object) => ({ ...now, call: call.request_id }) }) as never
                }
                openKey={search.call}
                isNew={tail.isFresh}
                onEnd={readMore}
                skeletonRows={14}
                empty={<NoCalls {...props} />}
              />
            </div>
          )}
        </div>
        <Foot
          rows={pages.rows}
          total={totalOf(bars)}
          isMore={hasNextPage}
          isReading={isFetchingNextPage}
          onMore={readMore}
        />
      </Page>
    </Split>
  );
}

function keyOf(call: Call): string {
  return call.request_id;
}

/** How many calls the list has, if the bars count exactly them. */
function totalOf(bars: Bars | undefined): number | undefined {
  return bars?.isExact === true ? bars.bars.reduce((sum, { calls }) => sum + calls, 0) : undefined;
}

function usePeriodText({ from, to, period = USUAL_PERIOD }: CallSearch): string {
  const t = useTexts({ en, zh });
  return from === undefined && to === undefined ? t.periods[period] : t.ownPeriod;
}

function Head({ of, search, onSearch, bars }: CallsPageProps & { readonly bars: Bars | undefined }) {
  const t = useTexts({ en, zh });
  const period = usePeriodText(search);
  const total = totalOf(bars);
  const isOn = search.live !== 'off';
  return (
    <PageHead
      title={of === 'own' ? t.title : t.allTitle}
      lead={total === undefined ? undefined : t.counted(count(total), period)}
    >
      <div className={css.head}>
        {/* biome-ignore lint/a11y/noLabelWithoutControl: the switch stands inside */}
        <label className={css.live} title={t.liveHelp}>
          <Switch
            checked={isOn}
            onChange={(on) => onSearch({ live: on ? undefined : 'off' }, { replace: true })}
          />
          {t.live}
        </label>
        <Export {...{ of, search }} />
      </div>
    </PageHead>
  );
}

/** The file has the filters of the page. */
function Export({ of, search }: Pick<CallsPageProps, 'of' | 'search'>) {
  const t = useTexts({ en, zh });
  const times = useServerTimes();
  const query = queryOf(search, times);
  const { account_id } = search;
  const href =
    of === 'own'
      ? fileAddress('exportCalls', { query })
      : fileAddress('exportCallsOfAllAccounts', { query: { ...query, ...given({ account_id }) } });
  return (
    <AnchorButton icon="download" href={href} download>
      {t.csv}
    </AnchorButton>
  );
}

/** Teaches the first step, or offers to drop the last filter. */
function NoCalls({ of, search, onSearch }: CallsPageProps) {
  const t = useTexts({ en, zh });
  const period = usePeriodText(search);
  const last = filtersOf(search).at(-1);
  const isUsual = search.from === undefined && search.to === undefined && search.period === undefined;
  if (last !== undefined) {
    return (
      <Empty
        plain
        title={t.emptyFiltered.title}
        action={
          <Button onClick={() => onSearch({ [last]: undefined })}>
            {t.emptyFiltered.drop(t.filters[last])}
          </Button>
        }
      >
        {t.emptyFiltered.text(period)}
      </Empty>
    );
  }
  const widen = { from: undefined, to: undefined, period: '30d' as const };
  const step =
    of === 'own' && isUsual ? (
      <LinkButton variant="primary" to="/start">
        {t.empty.action}
      </LinkButton>
    ) : (
      <Button onClick={() => onSearch(widen)}>{t.emptyFiltered.widen}</Button>
    );
  return (
    <Empty title={isUsual ? t.empty.title : t.emptyFiltered.title} action={step}>
      {isUsual ? (of === 'own' ? t.empty.text : t.empty.operator) : t.emptyFiltered.text(period)}
    </Empty>
  );
}

interface FootProps {
  readonly rows: readonly Call[] | undefined;
  readonly total: number | undefined;
  readonly isMore: boolean;
  readonly isReading: boolean;
  readonly onMore: () => void;
}

function Foot({ rows, total, isMore, isReading, onMore }: FootProps) {
  const t = useTexts({ en, zh });
  if (rows === undefined || rows.length === 0) return null;
  const shown = count(rows.length);
  const said = !isMore
    ? t.allShown(shown)
    : total === undefined || total < rows.length
      ? t.shownOnly(shown)
      : t.shown(shown, count(total));
  return (
    <div className={css.foot}>
      <span role="status">{isReading ? t.loadingMore : said}</span>
      <WideOnly>
        <kbd>j</kbd> <kbd>k</kbd> {t.walk}, <kbd>↵</kbd> {t.open}
      </WideOnly>
      {isMore && (
        <Button variant="ghost" size="xs" icon="down" pending={isReading} onClick={onMore}>
          {t.olderCalls}
        </Button>
      )}
    </div>
  );
}
