import { Sparkline, Stat, type StatProps, Stats } from '../../parts/figures/stat.tsx';
import { Skeleton } from '../../parts/page/skeleton.tsx';
import { count, countShort, delta, duration, money, NOTHING, percent } from '../../parts/text/format.ts';
import { type Language, useLanguage, useTexts } from '../../texts/language.ts';
import { changeOf, changeText, failedShare, type Sums, tokensOf, type Usage } from '../usage/data.ts';
import css from './overview.module.css';
import { en } from './texts.en.ts';
import { zh } from './texts.zh.ts';

type TileName = 'spend' | 'calls' | 'tokens' | 'failed' | 'firstToken';
type Shown = Pick<StatProps, 'value' | 'unit' | 'delta' | 'deltaTone'>;

interface Tile {
  readonly name: TileName;
  /** The height of the line. */
  readonly height: (sums: Sums) => number | null;
  readonly show: (now: Sums, before: Sums | undefined, words: Words) => Shown;
}

interface Words {
  readonly language: Language;
  readonly t: typeof en.tiles;
}

/** From here on the period before held next to nothing, and how many times it is says nothing. */
const NEW_FROM = 50;

function ratio(
  now: string | number,
  before: string | number | undefined,
  t: Words['t'],
): Pick<Shown, 'delta'> {
  const change = changeOf(now, before);
  if (change === undefined) return {};
  return { delta: change < NEW_FROM ? changeText(change) : t.fresh };
}

/** Fewer failures and shorter waits are good news. */
function tone(change: number): Pick<Shown, 'deltaTone'> {
  return change === 0 ? {} : { deltaTone: change < 0 ? 'good' : 'bad' };
}

const TILES: readonly Tile[] = [
  {
    name: 'spend',
    height: ({ amount }) => Number(amount),
    show: (now, before, { t }) => ({
      value: money(now.amount),
      ...ratio(now.amount, before?.amount, t),
      ...((changeOf(now.amount, before?.amount) ?? 0) < 0 && { deltaTone: 'good' }),
    }),
  },
  {
    name: 'calls',
    height: ({ calls }) => calls,
    show: (now, before, { t }) => ({ value: count(now.calls), ...ratio(now.calls, before?.calls, t) }),
  },
  {
    name: 'tokens',
    height: tokensOf,
    show: (now, before, { language, t }) => {
      const { figure, unit } = countShort(tokensOf(now), language);
      return { value: figure, unit, ...ratio(tokensOf(now), before && tokensOf(before), t) };
    },
  },
  {
    name: 'failed',
    height: failedShare,
    show: (now, before, { t }) => {
      const [value = NOTHING, unit] = now.calls === 0 ? [] : percent(failedShare(now)).split(' ');
      if (before === undefined || before.calls === 0 || now.calls === 0) return { value, unit };
      const change = (failedShare(now) - failedShare(before)) * 100;
      return { value, unit, delta: t.points(delta(change, 2)), ...tone(Number(change.toFixed(2))) };
    },
  },
  {
    name: 'firstToken',
    height: ({ ttft_ms: ttft }) => ttft,
    show: (now, before) => {
      const { figure, unit } = duration(now.ttft_ms);
      const shown = { value: figure, unit };
      if (now.ttft_ms === null || before === undefined || before.ttft_ms === null) return shown;
      const change = now.ttft_ms - before.ttft_ms;
      return { ...shown, delta: `${delta(change)} ms`, ...tone(change) };
    },
  },
];

/** A point without a value stays where the one before was. */
function filled(points: readonly Sums[], height: Tile['height']): readonly number[] {
  let last = points.map(height).find((value) => value !== null) ?? 0;
  return points.map((point) => {
    last = height(point) ?? last;
    return last;
  });
}

/** The sums of the period, each against the period before. */
export function Tiles({ usage }: { readonly usage: Usage | undefined }) {
  const t = useTexts({ en, zh });
  const language = useLanguage();
  return (
    <section aria-label={t.tiles.label} className={css.tiles}>
      <Stats>
        {TILES.map(({ name, height, show }) => {
          const label =
            name === 'spend' ? <span title={t.tiles.spendTitle}>{t.tiles.spend}</span> : t.tiles[name];
          if (usage === undefined) {
            return (
              <Stat key={name} label={label} value={NOTHING}>
                <Skeleton width="100%" height="28px" />
              </Stat>
            );
          }
          const { before } = usage;
          const lineBefore =
            before === null || before.total.calls === 0 ? undefined : filled(before.points, height);
          return (
            <Stat key={name} label={label} {...show(usage.total, before?.total, { language, t: t.tiles })}>
              <Sparkline values={filled(usage.points, height)} before={lineBefore} />
            </Stat>
          );
        })}
      </Stats>
    </section>
  );
}
