import { figuresOf, type SoakResult } from '../../bench/report/soak.ts';

/** For `npm run prove`. */
export function proofOf(result: SoakResult): string {
  const { minutes, books, events } = result;
  const figures = figuresOf(result).map(({ name, value }) => `${name}: ${value}`);
  const size = `${minutes} minutes, ${events.length} faults, ${books.calls} calls`;
  return `proof | soak, two nodes | ${size} | ${figures.join('; ')}`;
}
