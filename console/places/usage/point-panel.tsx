import { Link } from '@tanstack/react-router';
import { Button, LinkButton } from '../../parts/button.tsx';
import { FactList } from '../../parts/figures/facts.tsx';
import { SkeletonLines } from '../../parts/page/skeleton.tsx';
import { count } from '../../parts/text/format.ts';
import { Swatch } from '../../parts/text/status.tsx';
import { useLanguage, useTexts } from '../../texts/language.ts';
import { callsOfPoint, colourOf, filterOfGroup, type Usage } from './data.ts';
import { groupName, MEASURE, pointTitle } from './figures.ts';
import { filtersOf, type Measure } from './search.ts';
import { en } from './texts.en.ts';
import { zh } from './texts.zh.ts';
import css from './usage.module.css';
import type { UsageView } from './view.ts';

interface PointPanelProps extends UsageView {
  readonly usage: Usage | undefined;
}

/** The column of the address, or the newest one with calls. */
function placeOf({ times, points }: Usage, at: string | undefined): number {
  const chosen = at === undefined ? -1 : times.indexOf(at);
  if (chosen !== -1) return chosen;
  return Math.max(
    points.findLastIndex(({ calls }) => calls > 0),
    0,
  );
}

/** One column of the chart in figures, and the way to its calls. */
export function PointPanel({ usage, ...view }: PointPanelProps) {
  const { search, step, onSearch } = view;
  const t = useTexts({ en, zh });
  const language = useLanguage();
  if (usage === undefined) {
    return (
      <section className={css.point}>
        <SkeletonLines lines={7} />
      </section>
    );
  }
  const at = placeOf(usage, search.at);
  const go = (to: number) => onSearch({ at: usage.times[to] }, { replace: true });
  const calls = usage.points[at]?.calls ?? 0;
  return (
    <section className={css.point} aria-label={t.point.label}>
      <div className={css.pointHead}>
        <h2>{pointTitle(usage.times[at] ?? usage.from, { step, language, t })}</h2>
        <span className={css.note}>{t.callCount(count(calls))}</span>
        <span className={css.walk}>
          <Button
            variant="ghost"
            size="xs"
            icon="right"
            className={css.earlier}
            aria-label={t.point.earlier}
            disabled={at === 0}
            onClick={() => go(at - 1)}
          />
          <Button
            variant="ghost"
            size="xs"
            icon="right"
            aria-label={t.point.later}
            disabled={at >= usage.times.length - 1}
            onClick={() => go(at + 1)}
          />
        </span>
      </div>
      {calls === 0 ? (
        <p className={css.none}>{t.point.none}</p>
      ) : (
        <PointTable {...view} usage={usage} at={at} />
      )}
      {calls > 0 && (
        <LinkButton
          block
          icon="list"
          to="/calls"
          search={{ ...callsOfPoint(usage, at), ...filtersOf(search) }}
        >
          {t.point.open(count(calls))}
        </LinkButton>
      )}
      <PointFacts {...view} usage={usage} at={at} />
    </section>
  );
}

/** In the side column a wait or a failure is beside the calls; else the spend. */
function shownMeasure(measure: Measure | undefined): Measure {
  return measure === undefined || measure === 'calls' ? 'spend' : measure;
}

interface PointProps extends UsageView {
  readonly usage: Usage;
  readonly at: number;
}

function PointTable({ usage, at, search }: PointProps) {
  const t = useTexts({ en, zh });
  const { by = 'model' } = search;
  const measure = shownMeasure(search.measure);
  const { text } = MEASURE[measure];
  const period = callsOfPoint(usage, at);
  const total = usage.points[at];
  return (
    <table className={css.pointTable}>
      <thead>
        <tr>
          <th scope="col">{t.groupings[by]}</th>
          <th scope="col">{t.table.calls}</th>
          <th scope="col">{t.measures[measure]}</th>
        </tr>
      </thead>
      <tbody>
        {usage.groups.map((each, place) => {
          const sums = each.points[at];
          if (sums === undefined || sums.calls === 0) return null;
          const filters = { ...filtersOf(search), ...filterOfGroup(by, each.group) };
          return (
            <tr key={each.group}>
              <td>
                <Link to="/calls" search={{ ...period, ...filters }} className={css.groupLink}>
                  <Swatch series={colourOf(each.group, place)} />
                  <span>{groupName(each, by, t)}</span>
                </Link>
              </td>
              <td>{count(sums.calls)}</td>
              <td>{text(sums)}</td>
            </tr>
          );
        })}
      </tbody>
      {total !== undefined && (
        <tfoot>
          <tr>
            <td>{t.point.total}</td>
            <td>{count(total.calls)}</td>
            <td>{text(total)}</td>
          </tr>
        </tfoot>
      )}
    </table>
  );
}

/** The highest column, and the one of the period before. Both are figures of the server. */
function PointFacts({ usage, at, search, step }: PointProps) {
  const t = useTexts({ en, zh });
  const language = useLanguage();
  const { value, text } = MEASURE[search.measure ?? 'spend'];
  const values = usage.points.map((point) => value(point) ?? 0);
  const most = values.indexOf(Math.max(...values));
  const titleOf = (time: string | undefined) =>
    time === undefined ? '' : pointTitle(time, { step, language, t });
  const before = search.compare === undefined ? usage.before : null;
  const facts = [
    ...(usage.points[most] === undefined
      ? []
      : [{ name: t.point.most(titleOf(usage.times[most])), value: text(usage.points[most]) }]),
    ...(before?.points[at] === undefined
      ? []
      : [{ name: t.point.before(titleOf(before.times[at])), value: text(before.points[at]) }]),
  ];
  return (
    <div className={css.facts}>
      <FactList facts={facts} />
    </div>
  );
}
