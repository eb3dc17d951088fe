import { type Data, useApi } from '../../../../api/api.ts';
import { useServerTimes } from '../../../../app/server-time.ts';
import { LinkButton } from '../../../../parts/button.tsx';
import { BarCell } from '../../../../parts/figures/shares.tsx';
import { Stat, Stats } from '../../../../parts/figures/stat.tsx';
import { Empty } from '../../../../parts/page/empty.tsx';
import { ErrorNote } from '../../../../parts/page/error-note.tsx';
import { Section } from '../../../../parts/page/layout.tsx';
import { type Column, Table } from '../../../../parts/table/table.tsx';
import { count, duration, money, NOTHING, percent, written } from '../../../../parts/text/format.ts';
import { useNow } from '../../../../parts/text/now.ts';
import { Mono } from '../../../../parts/text/text.tsx';
import css from '../catalogue.module.css';
import { useCatalogueTexts } from '../texts.ts';

type RouteTraffic = Data<'getOverviewByRoute'>['routes'][number];

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const REFRESH_MS = 15_000;

/** Where the calls of a model went, and what they brought. */
export function Traffic({ modelId }: { readonly modelId: string }) {
  const t = useCatalogueTexts();
  const routes = useApi(
    'getOverviewByRoute',
    { query: { model_id: modelId } },
    { refetchInterval: REFRESH_MS },
  );
  const columns: Column<RouteTraffic>[] = [
    { key: 'route', header: t.route.one, main: true, cell: ({ credential }) => credential },
    {
      ...{ key: 'forward', header: t.route.forward, tone: 'sub', priority: 3 },
      cell: (row) => <Mono>{row.forward_model_id}</Mono>,
    },
    {
      ...{ key: 'share', header: t.traffic.share },
      cell: ({ share }) => (
        <span className={css.share}>
          <BarCell ratio={share ?? 0} /> {percent(share)}
        </span>
      ),
    },
    { key: 'calls', header: t.traffic.calls, align: 'right', cell: ({ calls }) => count(calls) },
    {
      key: 'attempts',
      header: t.traffic.attempts,
      align: 'right',
      priority: 2,
      cell: (row) => count(row.attempts),
    },
    {
      key: 'failures',
      header: t.traffic.failures,
      align: 'right',
      priority: 1,
      cell: (row) => count(row.failures),
    },
    {
      ...{ key: 'ttft', header: t.traffic.ttft, align: 'right', priority: 2 },
      cell: ({ ttft_ms }) => (ttft_ms === null ? NOTHING : written(duration(ttft_ms))),
    },
  ];
  return (
    <>
      <Sales modelId={modelId} />
      <Section
        title={t.lastHour}
        note={t.traffic.note}
        right={
          <LinkButton size="sm" to="/operator/calls" search={{ model: modelId }}>
            {t.traffic.toCalls}
          </LinkButton>
        }
      >
        {routes.isError ? (
          <ErrorNote
            cause={t.cannotRead}
            requestId={routes.error.requestId}
            onRetry={() => void routes.refetch()}
          />
        ) : (
          <Table
            {...{ label: t.lastHour, columns, rows: routes.data?.data.routes, skeletonRows: 3 }}
            rowKey={({ route_id }) => String(route_id)}
            empty={<Empty plain title={t.traffic.none} />}
          />
        )}
      </Section>
    </>
  );
}

/** The last 24 hours in money. */
function Sales({ modelId }: { readonly modelId: string }) {
  const t = useCatalogueTexts();
  const { write } = useServerTimes();
  const nowMs = Math.floor(useNow(HOUR_MS) / HOUR_MS) * HOUR_MS;
  const day = useApi('getOverview', { query: { from: write(nowMs - DAY_MS) } });
  const sales = day.data?.data.models.find(({ model_id }) => model_id === modelId);
  return (
    <Stats columns={4}>
      <Stat label={t.traffic.calls} value={count(sales?.calls ?? (day.data === undefined ? undefined : 0))} />
      <Stat label={t.whatIf.revenue} value={money(sales?.revenue)} />
      <Stat label={t.whatIf.cost} value={money(sales?.cost)} />
      <Stat label={t.whatIf.margin} value={money(sales?.margin)} />
    </Stats>
  );
}
