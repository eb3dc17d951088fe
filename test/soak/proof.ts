import { figuresOf, type SoakResult } from '../../bench/report/soak.ts';

/** Memory and connections of a shorter run have not come to rest. */
const SHORT_MINUTES = 5;
const FIGURES_OF_BOOKS = 4;

/** For `npm run prove`. */
export function proofOf(result: SoakResult): string {
  const { minutes, books, events } = result;
  const shown = minutes < SHORT_MINUTES ? FIGURES_OF_BOOKS : undefined;
  const figures = figuresOf(result)
    .slice(0, shown)
    .map(({ name, value }) => `${name}: ${value}`);
  const size = `${minutes} minutes, ${events.length} faults, ${books.calls} calls`;
  return `proof | soak, two nodes | ${size} | ${figures.join('; ')}`;
}
