import { Link } from '@tanstack/react-router';
import { Segmented } from '../../parts/form/segmented.tsx';
import { useLoaded } from '../../parts/loaded.ts';
import { Section } from '../../parts/page/layout.tsx';
import { Skeleton } from '../../parts/page/skeleton.tsx';
import { Row } from '../../parts/text/text.tsx';
import { useTexts } from '../../texts/language.ts';
import type { Usage } from '../usage/data.ts';
import { en as usageEn } from '../usage/texts.en.ts';
import { zh as usageZh } from '../usage/texts.zh.ts';
import css from './overview.module.css';
import { OVERVIEW_GROUPINGS } from './route.ts';
import { en } from './texts.en.ts';
import { zh } from './texts.zh.ts';
import type { OverviewView } from './view.ts';

/** The chart is read while the server adds up its figures. */
const loadChart = () => import('./spend-chart.tsx');

interface SpendProps extends OverviewView {
  readonly usage: Usage | undefined;
}

/** Columns of spend by group. A column leads to its calls. */
export function Spend({ usage, search, span, onSearch }: SpendProps) {
  const t = useTexts({ en, zh });
  const words = useTexts({ en: usageEn, zh: usageZh });
  const { by = 'model' } = search;
  const step = span.steps[0];
  const SpendChart = useLoaded(loadChart)?.default;
  return (
    <Section
      title={t.spendBy[by]}
      note={words.units.spend[step]}
      right={
        <Row>
          <Link to="/usage" search={{ ...search }} className={css.more}>
            {t.usage}
          </Link>
          <Segmented
            size="sm"
            label={t.groupLabel}
            value={by}
            onChange={(next) => onSearch({ by: next === 'model' ? undefined : next })}
            options={OVERVIEW_GROUPINGS.map((value) => ({ value, label: words.groupings[value] }))}
          />
        </Row>
      }
    >
      {usage === undefined || SpendChart === undefined ? (
        <ChartPlace />
      ) : (
        <SpendChart usage={usage} by={by} step={step} />
      )}
    </Section>
  );
}

function ChartPlace() {
  return (
    <div className={css.chartPlace}>
      <Skeleton width="100%" height="100%" />
    </div>
  );
}
