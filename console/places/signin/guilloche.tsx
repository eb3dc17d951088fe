import css from './entry-page.module.css';

/** The fine lines of banknotes: one waved ring, drawn again and again with a small turn. */
interface Rosette {
  readonly radius: number;
  readonly height: number;
  readonly waves: number;
}

const OUTER: Rosette = { radius: 524, height: 76, waves: 16 };
const INNER: Rosette = { radius: 352, height: 92, waves: 10 };
const TURNS = [0, 1, 2, 3, 4, 5, 6, 7, 8];
const POINTS_PER_WAVE = 22;

function pathOf({ radius, height, waves }: Rosette): string {
  const count = waves * POINTS_PER_WAVE;
  const points = Array.from({ length: count }, (_, index) => {
    const angle = (index / count) * 2 * Math.PI;
    const away = radius + height * Math.sin(waves * angle);
    return `${(away * Math.cos(angle)).toFixed(1)} ${(away * Math.sin(angle)).toFixed(1)}`;
  });
  return `M${points.join('L')}z`;
}

export function Guilloche() {
  return (
    <svg className={css.guilloche} viewBox="-640 -640 1280 1280" aria-hidden="true">
      <g fill="none" stroke="currentColor" strokeWidth="1.1">
        <Rings rosette={OUTER} />
        <Rings rosette={INNER} />
      </g>
    </svg>
  );
}

function Rings({ rosette }: { readonly rosette: Rosette }) {
  const path = pathOf(rosette);
  const step = 360 / rosette.waves / TURNS.length;
  return TURNS.map((turn) => <path key={turn} d={path} transform={`rotate(${turn * step})`} />);
}
