/** Bars and curves as SVG, readable on light and on dark pages. */

const WIDTH = 760;
const LABELS = 190;
const ROW = 30;
const PLOT_HEIGHT = 300;
const MARGIN = { left: 64, right: 150, top: 44, bottom: 46 };
/** Colours that keep enough contrast on white and on near black. */
const COLOURS = ['#2f7fd6', '#d9622b', '#7d8590', '#8a63d2', '#2a9d6f', '#c2477f', '#b08a00', '#3aa0b5'];

const STYLE = `<style>
text { font: 12px system-ui, sans-serif; fill: #24292f; }
.title { font-size: 14px; font-weight: 600; }
.axis { stroke: #8b949e; stroke-width: 1; }
.grid { stroke: #8b949e; stroke-opacity: 0.25; }
.quiet { fill: #57606a; }
@media (prefers-color-scheme: dark) { text { fill: #e6edf3; } .quiet { fill: #9198a1; } }
</style>`;

export interface Bar {
  readonly label: string;
  readonly value: number;
  /** Shown beside the bar. */
  readonly text: string;
  readonly isOurs: boolean;
}

export interface Curve {
  readonly label: string;
  readonly points: readonly (readonly [number, number])[];
}

export interface Axes {
  readonly title: string;
  readonly x: string;
  readonly y: string;
  /** Powers of ten are equally far apart. */
  readonly isLogarithmic?: boolean;
}

export function barChart(title: string, bars: readonly Bar[]): string {
  const height = MARGIN.top + bars.length * ROW + 10;
  const largest = Math.max(...bars.map(({ value }) => value), Number.MIN_VALUE);
  const smallest = Math.min(...bars.map(({ value }) => value).filter((value) => value > 0), largest);
  // The costs of gateways are worlds apart: beyond a factor of 30 a bar's length is its logarithm.
  const isLogarithmic = largest / smallest > 30;
  const floor = smallest / 2;
  const share = (value: number): number =>
    isLogarithmic ? Math.log(Math.max(value, floor) / floor) / Math.log(largest / floor) : value / largest;
  const rows = bars.map(({ label, value, text, isOurs }, index) => {
    const y = MARGIN.top + index * ROW;
    const width = Math.max(2, share(value) * (WIDTH - LABELS - 130));
    const colour = isOurs ? COLOURS[0] : COLOURS[2];
    return (
      `<text x="${LABELS - 10}" y="${y + 16}" text-anchor="end">${escapeText(label)}</text>` +
      `<rect x="${LABELS}" y="${y + 2}" width="${width.toFixed(1)}" height="20" rx="3" fill="${colour}"/>` +
      `<text x="${(LABELS + width + 8).toFixed(1)}" y="${y + 16}" class="quiet">${escapeText(text)}</text>`
    );
  });
  const note = isLogarithmic ? ' (length: logarithm)' : '';
  return frame(height, `${title}${note}`, rows);
}

export function curveChart(axes: Axes, curves: readonly Curve[]): string {
  const points = curves.flatMap((curve) => curve.points);
  const [xs, ys] = [points.map(([x]) => x), points.map(([, y]) => y)];
  const xScale = scaleOf(xs, {
    isLogarithmic: axes.isLogarithmic ?? false,
    from: MARGIN.left,
    to: WIDTH - MARGIN.right,
  });
  const bottom = MARGIN.top + PLOT_HEIGHT;
  const yScale = scaleOf([0, ...ys], { isLogarithmic: false, from: bottom, to: MARGIN.top });
  const grid = yScale.ticks.map(
    (value) =>
      `<line class="grid" x1="${MARGIN.left}" x2="${WIDTH - MARGIN.right}" y1="${yScale.at(value)}" y2="${yScale.at(value)}"/>` +
      `<text x="${MARGIN.left - 8}" y="${yScale.at(value) + 4}" text-anchor="end" class="quiet">${numberText(value)}</text>`,
  );
  const labels = [...new Set(xs)].map(
    (x) =>
      `<text x="${xScale.at(x)}" y="${bottom + 18}" text-anchor="middle" class="quiet">${numberText(x)}</text>`,
  );
  const drawn = curves.map((curve, index) =>
    drawCurve(curve, COLOURS[index % COLOURS.length] ?? '', { xScale, yScale, index }),
  );
  const named = [
    `<line class="axis" x1="${MARGIN.left}" x2="${WIDTH - MARGIN.right}" y1="${bottom}" y2="${bottom}"/>`,
    `<text x="${(MARGIN.left + WIDTH - MARGIN.right) / 2}" y="${bottom + 38}" text-anchor="middle">${escapeText(axes.x)}</text>`,
    `<text x="${MARGIN.left - 50}" y="${MARGIN.top - 8}" class="quiet">${escapeText(axes.y)}</text>`,
  ];
  return frame(bottom + MARGIN.bottom, axes.title, [...grid, ...labels, ...named, ...drawn]);
}

interface Scale {
  at(value: number): number;
  readonly ticks: readonly number[];
}

function drawCurve(
  curve: Curve,
  colour: string,
  on: { xScale: Scale; yScale: Scale; index: number },
): string {
  const places = curve.points.map(([x, y]) => [on.xScale.at(x), on.yScale.at(y)] as const);
  const path = places.map(([x, y]) => `${x},${y}`).join(' ');
  const dots = places.map(([x, y]) => `<circle cx="${x}" cy="${y}" r="3" fill="${colour}"/>`).join('');
  const y = MARGIN.top + 6 + on.index * 20;
  const key =
    `<rect x="${WIDTH - MARGIN.right + 14}" y="${y - 9}" width="12" height="12" rx="2" fill="${colour}"/>` +
    `<text x="${WIDTH - MARGIN.right + 32}" y="${y + 2}">${escapeText(curve.label)}</text>`;
  return `<polyline points="${path}" fill="none" stroke="${colour}" stroke-width="2"/>${dots}${key}`;
}

function scaleOf(values: readonly number[], on: { isLogarithmic: boolean; from: number; to: number }): Scale {
  const place = on.isLogarithmic
    ? (value: number) => Math.log10(Math.max(value, 0.1))
    : (value: number) => value;
  const placed = values.map(place);
  const [min, max] = [Math.min(...placed), Math.max(...placed)];
  const step = stepOf(max - min);
  const end = on.isLogarithmic ? max : Math.ceil(max / step) * step;
  const at = (value: number): number =>
    Math.round((on.from + ((place(value) - min) / (end - min || 1)) * (on.to - on.from)) * 10) / 10;
  const count = Math.round((end - min) / step);
  return { at, ticks: Array.from({ length: count + 1 }, (_, index) => min + index * step) };
}

/** 1, 2 or 5 of some power of ten: about five steps. */
function stepOf(range: number): number {
  const power = 10 ** Math.floor(Math.log10((range || 1) / 5));
  return power * ([1, 2, 5, 10].find((factor) => power * factor * 5 >= range) ?? 10);
}

function numberText(value: number): string {
  return Number(value.toPrecision(6)).toLocaleString('en', { maximumFractionDigits: 3 });
}

function frame(height: number, title: string, parts: readonly string[]): string {
  const head = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img">`;
  const named = `<title>${escapeText(title)}</title>${STYLE}<text x="14" y="22" class="title">${escapeText(title)}</text>`;
  return `${[head, named, ...parts, '</svg>'].join('\n')}\n`;
}

function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
