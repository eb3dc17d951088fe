import type { Span } from '../usage/period.ts';
import type { OverviewSearch } from './route.ts';

/** What the parts of the page share. */
export interface OverviewView {
  readonly search: OverviewSearch;
  readonly span: Span;
  readonly onSearch: (change: OverviewSearch) => void;
}
