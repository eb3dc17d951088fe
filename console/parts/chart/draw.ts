/** Loaded with the first chart: draws the marks. Axes, cursor and tip are elements of the page. */
import uPlot from 'uplot';

export interface Mark {
  readonly values: readonly (number | null)[];
  /** A custom property: `--c1`. */
  readonly colour: string;
  readonly dashed: boolean;
}

export interface Drawing {
  readonly kind: 'columns' | 'lines';
  readonly marks: readonly Mark[];
  readonly top: number;
}

const COLUMN_SHARE = 0.62;
const COLUMN_PX_MAX = 28;

function readColour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

/** Each series stands on those before it. The tallest is drawn first, so that each covers its part. */
function stack(marks: readonly Mark[]): readonly Mark[] {
  const sums: number[] = [];
  return marks
    .map((mark) => ({
      ...mark,
      values: mark.values.map((value, index) => {
        sums[index] = (sums[index] ?? 0) + (value ?? 0);
        return sums[index];
      }),
    }))
    .reverse();
}

function columnSeries(mark: Mark): uPlot.Series {
  const paths = uPlot.paths.bars?.({ size: [COLUMN_SHARE, COLUMN_PX_MAX], align: 0 });
  const background = readColour('--bg');
  return {
    fill: readColour(mark.colour),
    stroke: background,
    width: 1,
    points: { show: false },
    ...(paths && { paths }),
  };
}

/** `area` is how much of its colour lies under the line: 8 % where it is the only one. */
function lineSeries(mark: Mark, area: number): uPlot.Series {
  const stroke = readColour(mark.colour);
  return {
    stroke,
    width: mark.dashed ? 1.2 : 1.6,
    points: { show: false },
    ...(mark.dashed && { dash: [3, 3] }),
    ...(!mark.dashed && { fill: `color-mix(in srgb, ${stroke} ${area}%, transparent)` }),
  };
}

/** Draws into the element and follows its size. Returns what takes it away. */
export function draw(element: HTMLElement, { kind, marks, top }: Drawing): () => void {
  const count = Math.max(0, ...marks.map((mark) => mark.values.length));
  const shown =
    kind === 'columns'
      ? [...stack(marks.filter((mark) => !mark.dashed)), ...marks.filter((mark) => mark.dashed)]
      : marks;
  const area = marks.filter((mark) => !mark.dashed).length === 1 ? 8 : 0;
  const edge = kind === 'columns' ? 0.5 : 0;
  const size = () => ({ width: Math.max(1, element.clientWidth), height: Math.max(1, element.clientHeight) });
  const plot = new uPlot(
    {
      ...size(),
      padding: [0, 0, 0, 0],
      legend: { show: false },
      cursor: { show: false },
      axes: [{ show: false }, { show: false }],
      scales: {
        x: { time: false, range: () => [-edge, Math.max(count - 1, 0) + edge] },
        y: { range: () => [0, top] },
      },
      series: [
        {},
        ...shown.map((mark) =>
          kind === 'columns' && !mark.dashed ? columnSeries(mark) : lineSeries(mark, area),
        ),
      ],
    },
    [Array.from({ length: count }, (_, index) => index), ...shown.map((mark) => [...mark.values])],
    element,
  );
  const observer = new ResizeObserver(() => plot.setSize(size()));
  observer.observe(element);
  return () => {
    observer.disconnect();
    plot.destroy();
  };
}
