import { Link } from '@tanstack/react-router';
import type { Data } from '../../../api/api.ts';
import { Icon } from '../../../parts/icons/icon.tsx';
import { Empty } from '../../../parts/page/empty.tsx';
import { Section } from '../../../parts/page/layout.tsx';
import { type Column, Table } from '../../../parts/table/table.tsx';
import { duration, NOTHING, percent, written } from '../../../parts/text/format.ts';
import { Dot, Pill, Ticks } from '../../../parts/text/status.tsx';
import { Bad, Row, Sub, Warn } from '../../../parts/text/text.tsx';
import { useTexts } from '../../../texts/language.ts';
import { useVendorNames } from '../use-names.ts';
import type { Series, Shown } from './data.ts';
import css from './overview.module.css';
import { en } from './texts.en.ts';
import { zh } from './texts.zh.ts';

type Credential = Data<'getOverviewByCredential'>['credentials'][number];
type State = 'ok' | 'cooling' | 'suspect' | 'off';

interface VendorRow {
  readonly vendor: string;
  readonly state: State;
  readonly ticks: readonly ('ok' | 'warn' | 'bad' | 'none')[];
  readonly calls: number;
  readonly failed: number;
  readonly credentials: number;
  readonly usable: number;
  readonly median: number | null;
  readonly slow: number | null;
}

const WARN_FROM = 0.02;
const BAD_FROM = 0.2;

function tickOf({ calls, failed }: { readonly calls: number; readonly failed: number }) {
  if (calls === 0) return 'none';
  const ratio = failed / calls;
  return ratio >= BAD_FROM ? 'bad' : ratio >= WARN_FROM ? 'warn' : 'ok';
}

function isCooling({ health }: Credential): boolean {
  return health.routes.some((route) => route.state === 'open' || route.cooling_ms > 0);
}

function stateOf(credentials: readonly Credential[]): State {
  const enabled = credentials.filter(({ status }) => status === 'enabled');
  if (enabled.length === 0) return 'off';
  if (enabled.every(({ health }) => health.suspect)) return 'suspect';
  return enabled.some((each) => isCooling(each) || each.health.suspect) ? 'cooling' : 'ok';
}

function rowsOf(day: Series, credentials: readonly Credential[]): readonly VendorRow[] {
  const codes = new Set([
    ...credentials.map(({ vendor }) => vendor),
    ...day.vendors.map(({ vendor }) => vendor),
  ]);
  return [...codes].map((vendor) => {
    const found = day.vendors.find((each) => each.vendor === vendor);
    const points = found?.points ?? [];
    const own = credentials.filter((each) => each.vendor === vendor);
    const isUsable = (each: Credential) =>
      each.status === 'enabled' && !each.health.suspect && !isCooling(each);
    return {
      ...{ vendor, state: stateOf(own), credentials: own.length, usable: own.filter(isUsable).length },
      ...{ median: found?.ttft_p50_ms ?? null, slow: found?.ttft_p95_ms ?? null },
      ticks: day.times.map((_, at) => tickOf(points[at] ?? { calls: 0, failed: 0 })),
      calls: points.reduce((sum, { calls }) => sum + calls, 0),
      failed: points.reduce((sum, { failed }) => sum + failed, 0),
    };
  });
}

const DOTS = { ok: 'ok', cooling: 'warn', suspect: 'bad', off: 'off' } as const;

function useColumns(): readonly Column<VendorRow>[] {
  const t = useTexts({ en, zh });
  const vendorName = useVendorNames();
  return [
    {
      ...{ key: 'vendor', header: t.by.vendor, main: true },
      cell: ({ vendor, state }) => (
        <Row>
          <Dot tone={DOTS[state]} />
          {vendorName(vendor)}
          {state !== 'ok' && (
            <Pill tone={state === 'suspect' ? 'bad' : state === 'cooling' ? 'warn' : 'plain'}>
              {t.states[state]}
            </Pill>
          )}
        </Row>
      ),
    },
    {
      ...{ key: 'ticks', header: t.periods['24h'], priority: 1 },
      cell: ({ ticks, calls, failed }) => (
        <Ticks ticks={ticks} label={t.ticksLabel(String(calls), String(failed))} />
      ),
    },
    {
      ...{ key: 'answered', header: t.answered, align: 'right' },
      cell: ({ calls, failed }) => percent((calls - failed) / calls),
    },
    {
      ...{ key: 'wait', header: t.wait, hint: t.waitHint, align: 'right', tone: 'sub', priority: 1 },
      cell: ({ median, slow }) =>
        median === null ? NOTHING : t.waits(written(duration(median)), written(duration(slow))),
    },
    {
      ...{ key: 'credentials', header: t.credentials, align: 'right', priority: 1 },
      cell: ({ usable, credentials }) => {
        const text = t.ofAll(usable, credentials);
        if (usable === credentials) return <Sub>{text}</Sub>;
        return usable === 0 ? <Bad>{text}</Bad> : <Warn>{text}</Warn>;
      },
    },
  ];
}

/** The vendors, hour by hour, and what keeps their credentials from serving. */
export function Health({ shown: { day, credentials } }: { readonly shown: Shown }) {
  const t = useTexts({ en, zh });
  const suspects = credentials?.filter(({ status, health }) => status === 'enabled' && health.suspect) ?? [];
  return (
    <Section title={t.vendorHealth} note={t.byHour} right={<Link to="/operator/health">{t.allRoutes}</Link>}>
      <Table
        label={t.vendorHealth}
        columns={useColumns()}
        rows={day === undefined || credentials === undefined ? undefined : rowsOf(day, credentials)}
        rowKey={({ vendor }) => vendor}
        rowLink={({ vendor }) => ({ to: '/operator/health', search: { vendor } })}
        skeletonRows={5}
        empty={
          <Empty plain title={t.noVendors.title}>
            {t.noVendors.text}
          </Empty>
        }
      />
      {suspects.map(({ id, name, health }) => (
        <p key={id} className={css.suspect}>
          <Icon name="alert" />
          <span>
            <b>{name}</b> {t.suspect(health.refusals)}{' '}
            <Link to="/operator/catalogue/$section" params={{ section: 'credentials' }}>
              {t.replace}
            </Link>
          </span>
        </p>
      ))}
    </Section>
  );
}
