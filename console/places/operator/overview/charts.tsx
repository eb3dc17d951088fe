import { Link } from '@tanstack/react-router';
import { BarChart, LineChart } from '../../../parts/chart/chart.tsx';
import { Legend } from '../../../parts/figures/shares.tsx';
import { Segmented } from '../../../parts/form/segmented.tsx';
import { Empty } from '../../../parts/page/empty.tsx';
import { Section } from '../../../parts/page/layout.tsx';
import { Skeleton, SkeletonLines } from '../../../parts/page/skeleton.tsx';
import { count } from '../../../parts/text/format.ts';
import { clock, dayOfYear } from '../../../parts/text/times.ts';
import { type Language, useLanguage, useTexts } from '../../../texts/language.ts';
import { BROKE_OFF, type Causes, causesOf, causesOverTime } from './causes.ts';
import type { Overview, Series, Shown } from './data.ts';
import css from './overview.module.css';
import { operatorOverviewRoute, type Period } from './route.ts';
import { en } from './texts.en.ts';
import { zh } from './texts.zh.ts';

interface ChartsProps {
  readonly shown: Shown;
  readonly period: Period;
}

const HEIGHT = 168;

export function Charts({ shown, period }: ChartsProps) {
  const { overview, series, seriesBefore } = shown;
  return (
    <div className={css.three}>
      <div>
        <Traffic series={series} before={seriesBefore} period={period} />
      </div>
      <div>
        <FirstToken series={series} period={period} />
      </div>
      <div>
        <Errors overview={overview} series={series} period={period} />
      </div>
    </div>
  );
}

function labelsOf(times: readonly string[], period: Period, language: Language) {
  const hourly = period === '24h';
  return {
    labels: times.map((time) => (hourly ? clock(time).slice(0, 5) : dayOfYear(time, language))),
    titles: times.map((time) =>
      hourly ? `${dayOfYear(time, language)} ${clock(time).slice(0, 5)}` : dayOfYear(time, language),
    ),
  };
}

interface TrafficProps {
  readonly series: Series | undefined;
  readonly before: Series | undefined;
  readonly period: Period;
}

function Traffic({ series, before, period }: TrafficProps) {
  const t = useTexts({ en, zh });
  const language = useLanguage();
  const unit = period === '24h' ? t.callsAnHour : t.callsADay;
  return (
    <Section
      title={t.traffic}
      note={unit}
      right={
        <Legend
          series={[
            { key: 'served', label: t.served, series: 1 },
            { key: 'failed', label: t.failedCalls, series: 'failed' },
          ]}
        />
      }
    >
      {series === undefined ? (
        <Skeleton width="100%" height={`${HEIGHT}px`} />
      ) : (
        <LineChart
          whole
          label={t.trafficIn(unit)}
          {...labelsOf(series.times, period, language)}
          height={HEIGHT}
          format={count}
          series={[
            {
              ...{ key: 'served', label: t.served, colour: 1 },
              values: series.traffic.map(({ calls, failed }) => calls - failed),
            },
            {
              ...{ key: 'failed', label: t.failedCalls, colour: 'failed' },
              values: series.traffic.map(({ failed }) => failed),
            },
            {
              ...{ key: 'before', label: t.before[period], colour: 'before' },
              values: series.times.map((_, at) => {
                const point = before?.traffic[at];
                return point === undefined ? null : point.calls - point.failed;
              }),
            },
          ]}
        />
      )}
    </Section>
  );
}

function FirstToken({ series, period }: Omit<TrafficProps, 'before'>) {
  const t = useTexts({ en, zh });
  const language = useLanguage();
  return (
    <Section
      title={t.firstToken}
      note={t.inMs}
      right={
        <Legend
          series={[
            { key: 'median', label: t.median, series: 1 },
            { key: 'slow', label: t.slow, series: 2 },
          ]}
        />
      }
    >
      {series === undefined ? (
        <Skeleton width="100%" height={`${HEIGHT}px`} />
      ) : (
        <LineChart
          label={t.firstTokenIn(t.inMs)}
          {...labelsOf(series.times, period, language)}
          height={HEIGHT}
          format={count}
          series={[
            {
              ...{ key: 'median', label: t.median, colour: 1 },
              values: series.sales.map(({ ttft_p50_ms }) => ttft_p50_ms),
            },
            {
              ...{ key: 'slow', label: t.slow, colour: 2 },
              values: series.sales.map(({ ttft_p95_ms }) => ttft_p95_ms),
            },
          ]}
        />
      )}
    </Section>
  );
}

interface ErrorsProps {
  readonly overview: Overview | undefined;
  readonly series: Series | undefined;
  readonly period: Period;
}

function Errors({ overview, series, period }: ErrorsProps) {
  const t = useTexts({ en, zh });
  const { errors: view = 'causes' } = operatorOverviewRoute.useSearch();
  const navigate = operatorOverviewRoute.useNavigate();
  const causes = overview && causesOf(overview);
  const calls = period === '24h' ? {} : { period };
  return (
    <Section
      title={t.errors}
      note={
        <Link to="/operator/calls" search={{ ...calls, status: 'failed' }}>
          {t.toCalls}
        </Link>
      }
      right={
        <Segmented
          size="sm"
          label={t.errors}
          value={view}
          onChange={(next) =>
            void navigate({
              search: (now) => ({ ...now, errors: next === 'time' ? next : undefined }),
              replace: true,
            })
          }
          options={(['causes', 'time'] as const).map((value) => ({ value, label: t.errorViews[value] }))}
        />
      }
    >
      {causes === undefined ? (
        <SkeletonLines lines={5} />
      ) : causes.length === 0 ? (
        <Empty plain title={t.noErrors} />
      ) : view === 'time' && series !== undefined ? (
        <ErrorsOverTime series={series} period={period} />
      ) : (
        <ErrorBars causes={causes} period={period} />
      )}
    </Section>
  );
}

const COLOURS = [1, 2, 3, 4] as const;

/** The most frequent causes one by one, all others together. Together they are the failed calls. */
function ErrorsOverTime({ series, period }: { readonly series: Series; readonly period: Period }) {
  const t = useTexts({ en, zh });
  const causes = causesOverTime(series);
  const first = causes.slice(0, COLOURS.length);
  const rest = causes.slice(COLOURS.length);
  const others = series.times.map((_, at) => rest.reduce((sum, { points }) => sum + (points[at] ?? 0), 0));
  const name = (status: number) => t.causes[status as keyof typeof t.causes] ?? t.statusOf(status);
  return (
    <BarChart
      whole
      label={t.errors}
      {...labelsOf(series.times, period, useLanguage())}
      height={HEIGHT}
      format={count}
      series={[
        ...first.map(({ status, points }, at) => ({
          ...{ key: String(status), label: name(status), colour: COLOURS[at] ?? 1, values: points },
        })),
        ...(rest.length === 0 ? [] : [{ key: 'others', label: t.otherCause, colour: 5, values: others }]),
      ]}
    />
  );
}

/** The gateway and its vendors in red, what users asked for in grey. */
function isFault(status: number | 'other'): boolean {
  return status !== 'other' && (status >= 500 || status < 400);
}

function ErrorBars({ causes, period }: { readonly causes: Causes; readonly period: Period }) {
  const t = useTexts({ en, zh });
  const most = Math.max(1, ...causes.map(({ calls }) => calls));
  return (
    <ul className={css.causes}>
      {causes.map(({ status, calls }) => (
        <li key={status}>
          <Link
            to="/operator/calls"
            search={{
              ...(period === '24h' ? {} : { period }),
              status: status === 'other' || status < 400 ? 'failed' : status,
            }}
          >
            {t.causes[status as keyof typeof t.causes] ?? t.otherCause}
            {status !== 'other' && status !== BROKE_OFF && <small>{status}</small>}
          </Link>
          <span className={css.track} aria-hidden="true">
            <i
              className={isFault(status) ? css.fault : undefined}
              style={{ width: `${(calls / most) * 100}%` }}
            />
          </span>
          <span className={css.figure}>{count(calls)}</span>
        </li>
      ))}
    </ul>
  );
}
