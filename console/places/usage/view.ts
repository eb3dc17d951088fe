import type { UsageTexts } from './figures.ts';
import { lengthOf, type Span, type Step, USUAL_PERIOD } from './period.ts';
import type { UsageSearch } from './search.ts';

export type OnUsageSearch = (change: UsageSearch, options?: { readonly replace?: boolean }) => void;

/** What the parts of the page share. */
export interface UsageView {
  readonly search: UsageSearch;
  readonly span: Span;
  readonly step: Step;
  readonly onSearch: OnUsageSearch;
}

/** “30 days before”. */
export function beforeName({ period = USUAL_PERIOD }: UsageSearch, span: Span, t: UsageTexts): string {
  return period === 'custom' ? t.before.custom(lengthOf(span)) : t.before[period];
}
