import { Sparkline, Stat, Stats } from '../../../parts/figures/stat.tsx';
import { count, delta, duration, money, NOTHING, percent, percentDelta } from '../../../parts/text/format.ts';
import { useTexts } from '../../../texts/language.ts';
import type { Overview, Shown } from './data.ts';
import css from './overview.module.css';
import { en } from './texts.en.ts';
import { zh } from './texts.zh.ts';

function ratio(part: number, whole: number): number | undefined {
  return whole === 0 ? undefined : part / whole;
}

/** The change against the period before; nothing where there is nothing to compare with. */
function change(now: number | undefined, before: number | undefined): string | undefined {
  return now === undefined || before === undefined || before === 0
    ? undefined
    : percentDelta((now - before) / before);
}

function points(now: number | undefined, before: number | undefined): string | undefined {
  return now === undefined || before === undefined ? undefined : delta((now - before) * 100, 2);
}

function toneOf(better: boolean | undefined): 'good' | 'bad' | undefined {
  return better === undefined ? undefined : better ? 'good' : 'bad';
}

function failedOf(overview: Overview | undefined): number | undefined {
  return overview && ratio(overview.traffic.failed, overview.traffic.calls);
}

/** A share, not an amount: the amounts stand below as the server wrote them. */
function marginOf(overview: Overview | undefined): number | undefined {
  return overview && ratio(Number(overview.sales.margin), Number(overview.sales.revenue));
}

function splitPercent(value: number | undefined): { readonly value: string; readonly unit?: string } {
  const [figure = NOTHING, unit] = percent(value).split(' ');
  return unit === undefined ? { value: figure } : { value: figure, unit };
}

/** The five figures above everything. */
export function Tiles({ shown, columns }: { readonly shown: Shown; readonly columns: 3 | 5 }) {
  const t = useTexts({ en, zh });
  const { overview, before, series, seriesBefore } = shown;
  const [failed, failedBefore] = [failedOf(overview), failedOf(before)];
  const [margin, marginBefore] = [marginOf(overview), marginOf(before)];
  const waits = series?.sales.map(({ ttft_p50_ms }) => ttft_p50_ms);
  const wait = series?.ttft_p50_ms ?? undefined;
  const waitBefore = seriesBefore?.ttft_p50_ms ?? undefined;
  const { figure, unit } = duration(wait);
  const sales = series?.sales ?? [];
  return (
    <div className={columns === 3 ? css.tight : undefined}>
      <Stats columns={columns}>
        <Stat
          label={t.calls}
          value={count(overview?.traffic.calls)}
          delta={change(overview?.traffic.calls, before?.traffic.calls)}
        >
          <Spark values={series?.traffic.map(({ calls }) => calls)} />
        </Stat>
        <Stat
          label={t.failed}
          {...splitPercent(failed)}
          delta={points(failed, failedBefore)}
          deltaTone={toneOf(
            failed === undefined || failedBefore === undefined ? undefined : failed <= failedBefore,
          )}
        >
          <Spark values={series?.traffic.map((point) => ratio(point.failed, point.calls) ?? 0)} />
        </Stat>
        <Stat
          label={t.firstTokenMedian}
          value={figure}
          unit={unit}
          delta={
            wait === undefined || waitBefore === undefined
              ? undefined
              : t.milliseconds(delta(wait - waitBefore))
          }
          deltaTone={toneOf(wait === undefined || waitBefore === undefined ? undefined : wait <= waitBefore)}
        >
          <Spark values={waits?.map((value) => value ?? 0)} />
        </Stat>
        <Stat
          label={t.revenue}
          value={money(overview?.sales.revenue)}
          delta={change(overview && Number(overview.sales.revenue), before && Number(before.sales.revenue))}
        >
          <Spark values={sales.map(({ revenue }) => Number(revenue))} />
        </Stat>
        <Stat
          label={t.margin}
          {...splitPercent(margin)}
          delta={points(margin, marginBefore)}
          deltaTone={toneOf(
            margin === undefined || marginBefore === undefined ? undefined : margin >= marginBefore,
          )}
        >
          <Spark
            values={sales.map((point) =>
              Math.max(0, ratio(Number(point.margin), Number(point.revenue)) ?? 0),
            )}
          />
        </Stat>
      </Stats>
    </div>
  );
}

/** A line of nothing keeps its place until the figures are there. */
function Spark({ values }: { readonly values: readonly number[] | undefined }) {
  return <Sparkline values={values === undefined || values.length === 0 ? [0, 0] : values} />;
}
