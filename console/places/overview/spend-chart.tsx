import { useNavigate } from '@tanstack/react-router';
import { useMemo } from 'react';
import { BarChart } from '../../parts/chart/chart.tsx';
import { Shares } from '../../parts/figures/shares.tsx';
import { count, money, percent } from '../../parts/text/format.ts';
import { useLanguage, useTexts } from '../../texts/language.ts';
import { callsOfPoint, colourOf, shareOf, type Usage } from '../usage/data.ts';
import { groupName, MEASURE, pointLabel, pointTitle } from '../usage/figures.ts';
import { en as usageEn } from '../usage/texts.en.ts';
import { zh as usageZh } from '../usage/texts.zh.ts';
import css from './overview.module.css';
import type { OverviewGrouping } from './route.ts';
import { en } from './texts.en.ts';
import { zh } from './texts.zh.ts';
import type { OverviewView } from './view.ts';

const CHART_PX = 208;

interface SpendChartProps {
  readonly usage: Usage;
  readonly by: OverviewGrouping;
  readonly step: OverviewView['span']['steps'][number];
}

/** The columns of all groups, and the sum of each below them. */
export default function SpendChart({ usage, by, step }: SpendChartProps) {
  const t = useTexts({ en, zh });
  const words = useTexts({ en: usageEn, zh: usageZh });
  const language = useLanguage();
  const navigate = useNavigate();
  const series = useMemo(
    () =>
      usage.groups.map((each, place) => ({
        key: each.group ?? '',
        label: groupName(each, by, words),
        values: each.points.map(({ amount }) => Number(amount)),
        texts: each.points.map(({ amount }) => money(amount)),
        colour: colourOf(each.group, place),
      })),
    [usage, by, words],
  );
  return (
    <>
      <BarChart
        label={words.chartLabel(words.measures.spend, words.groupings[by], words.units.spend[step])}
        labels={usage.times.map((time) => pointLabel(time, step, language))}
        titles={usage.times.map((time) => pointTitle(time, { step, language, t: words }))}
        series={series}
        totals={usage.points.map(({ amount }) => money(amount))}
        note={(index) => words.callCount(count(usage.points[index]?.calls))}
        format={(value) => MEASURE.spend.axis(value, language)}
        height={CHART_PX}
        onPick={(index) => void navigate({ to: '/calls', search: callsOfPoint(usage, index) })}
      />
      {series.length === 0 ? (
        <p className={css.none}>{t.noSpend}</p>
      ) : (
        <Shares
          shares={usage.groups
            .filter(({ total }) => total.calls > 0)
            .map((each, place) => ({
              key: each.group ?? '',
              label: groupName(each, by, words),
              value: money(each.total.amount),
              share: percent(shareOf(each.total.amount, usage.total.amount)),
              series: colourOf(each.group, place),
            }))}
        />
      )}
    </>
  );
}
