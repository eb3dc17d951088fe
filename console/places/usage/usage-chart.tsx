import { useMemo } from 'react';
import { BarChart, type ChartSeries, LineChart } from '../../parts/chart/chart.tsx';
import { classes } from '../../parts/classes.ts';
import { Legend } from '../../parts/figures/shares.tsx';
import { Section } from '../../parts/page/layout.tsx';
import { Skeleton } from '../../parts/page/skeleton.tsx';
import { count } from '../../parts/text/format.ts';
import { useLanguage, useTexts } from '../../texts/language.ts';
import { changeOf, changeText, colourOf, type Usage } from './data.ts';
import { groupName, MEASURE, pointLabel, pointTitle, type UsageTexts } from './figures.ts';
import type { Grouping, Measure } from './search.ts';
import { en } from './texts.en.ts';
import { zh } from './texts.zh.ts';
import css from './usage.module.css';
import { beforeName, type UsageView } from './view.ts';

interface SeriesWanted {
  readonly measure: Measure;
  readonly by: Grouping;
  readonly isCompared: boolean;
  readonly t: UsageTexts;
}

/** One series for each group, and the period before as a dashed line. */
export function seriesOf(usage: Usage, { measure, by, isCompared, t }: SeriesWanted): readonly ChartSeries[] {
  const { value, text } = MEASURE[measure];
  const groups = usage.groups
    .filter(({ total }) => total.calls > 0)
    .map((each, place) => ({
      key: each.group ?? '',
      label: groupName(each, by, t),
      values: each.points.map(value),
      texts: each.points.map(text),
      colour: colourOf(each.group, place),
    }));
  if (!isCompared || usage.before === null || usage.before.total.calls === 0) return groups;
  const { points } = usage.before;
  const before = {
    ...{ key: 'before', label: t.beforeShort, colour: 'before' as const },
    ...{ values: points.map(value), texts: points.map(text) },
  };
  return [...groups, before];
}

const CHART_PX = 300;
const WORSE: readonly Measure[] = ['failed', 'firstToken'];

export function UsageChart({ usage, ...view }: UsageView & { readonly usage: Usage | undefined }) {
  const { search, span, step, onSearch } = view;
  const t = useTexts({ en, zh });
  const language = useLanguage();
  const { measure = 'spend', by = 'model', compare } = search;
  const isCompared = compare === undefined;
  const { text, axis, kind } = MEASURE[measure];
  const series = useMemo(
    () => (usage === undefined ? [] : seriesOf(usage, { measure, by, isCompared, t })),
    [usage, measure, by, isCompared, t],
  );
  if (usage === undefined) return <ChartSkeleton />;
  const unit = t.units[measure][step];
  const before = isCompared && usage.before?.total.calls ? usage.before.total : undefined;
  const change = before && changeOf(MEASURE[measure].value(usage.total), MEASURE[measure].value(before));
  const Chart = kind === 'columns' ? BarChart : LineChart;
  const at = search.at === undefined ? undefined : usage.times.indexOf(search.at);
  return (
    <section className={css.chart}>
      <div className={css.total}>
        <h2>{text(usage.total)}</h2>
        <p>{before === undefined ? unit : t.dashed(unit, beforeName(search, span, t), text(before))}</p>
        {change !== undefined && <Delta change={change} measure={measure} />}
      </div>
      <Chart
        label={t.chartLabel(t.measures[measure], t.groupings[by], unit)}
        labels={usage.times.map((time) => pointLabel(time, step, language))}
        titles={usage.times.map((time) => pointTitle(time, { step, language, t }))}
        series={series}
        totals={kind === 'columns' || series.length > 1 ? usage.points.map(text) : undefined}
        note={(index) => t.callCount(count(usage.points[index]?.calls))}
        format={(value) => axis(value, language)}
        height={CHART_PX}
        picked={at}
        onPick={(index) => onSearch({ at: usage.times[index] })}
      />
      <Legend
        series={series.flatMap(({ key, label, colour }) =>
          colour === 'before' ? [] : [{ key, label, series: colour }],
        )}
      />
    </section>
  );
}

/** Less is good news for money and waits; more is bad news for waits and failures only. */
function Delta({ change, measure }: { readonly change: number; readonly measure: Measure }) {
  const isGood = change < 0 && (measure === 'spend' || WORSE.includes(measure));
  const isBad = change > 0 && WORSE.includes(measure);
  return (
    <span className={classes(css.delta, isGood && css.good, isBad && css.bad)}>{changeText(change)}</span>
  );
}

function ChartSkeleton() {
  return (
    <Section title={<Skeleton width="120px" height="20px" />}>
      <Skeleton width="100%" height={`${CHART_PX + 64}px`} />
    </Section>
  );
}
