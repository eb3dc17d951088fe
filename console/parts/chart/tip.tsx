import { Swatch } from '../text/status.tsx';
import { usePartTexts } from '../texts.ts';
import styles from './chart.module.css';
import { type ChartProps, type ChartSeries, textOf } from './series.ts';

interface TipProps {
  readonly chart: ChartProps;
  readonly index: number;
  /** Where the point stands, in percent. */
  readonly left: number;
}

/** Beside the cursor, never over the point. The series stand as they are stacked. */
export function Tip({ chart, index, left }: TipProps) {
  const t = usePartTexts();
  const place = left > 50 ? { right: `calc(${100 - left}% + 20px)` } : { left: `calc(${left}% + 20px)` };
  const title = chart.titles?.[index] ?? chart.labels[index];
  const [first] = chart.series;
  const short = chart.series.length === 1 && chart.totals === undefined && first !== undefined;
  return (
    <div className={styles.tip} style={place} aria-hidden="true">
      <div className={styles.title}>
        {title}
        <span className={short ? styles.strong : undefined}>
          {short ? textOf(chart, first, index) : chart.note?.(index)}
        </span>
      </div>
      {!short && (
        <div className={styles.values}>
          {[...chart.series]
            .reverse()
            .filter(({ colour }) => colour !== 'before')
            .map((series) => (
              <TipLine key={series.key} chart={chart} series={series} index={index} />
            ))}
          {chart.totals !== undefined && (
            <div className={styles.total}>
              <b>{t.total}</b>
              <b>{chart.totals[index]}</b>
            </div>
          )}
          {chart.series
            .filter(({ colour }) => colour === 'before')
            .map((series) => (
              <TipLine key={series.key} chart={chart} series={series} index={index} />
            ))}
        </div>
      )}
    </div>
  );
}

interface TipLineProps {
  readonly chart: ChartProps;
  readonly series: ChartSeries;
  readonly index: number;
}

function TipLine({ chart, series, index }: TipLineProps) {
  return (
    <div>
      {series.colour === 'before' ? <span className={styles.dash} /> : <Swatch series={series.colour} />}
      <span>{series.label}</span>
      <span>{textOf(chart, series, index)}</span>
    </div>
  );
}

/** The same figures for who cannot see the chart. */
export function ChartTable({ chart }: { readonly chart: ChartProps }) {
  const t = usePartTexts();
  return (
    <div className={styles.hidden}>
      <table>
        <caption>{chart.label}</caption>
        <thead>
          <tr>
            <th scope="col">{t.time}</th>
            {chart.series.map((series) => (
              <th key={series.key} scope="col">
                {series.label}
              </th>
            ))}
            {chart.totals !== undefined && <th scope="col">{t.total}</th>}
          </tr>
        </thead>
        <tbody>
          {chart.labels.map((label, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a point has no identity but its place
            <tr key={index}>
              <th scope="row">{chart.titles?.[index] ?? label}</th>
              {chart.series.map((series) => (
                <td key={series.key}>{textOf(chart, series, index)}</td>
              ))}
              {chart.totals !== undefined && <td>{chart.totals[index]}</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
