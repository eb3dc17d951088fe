import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { userLayout } from '../../app/layouts.ts';
import { type PeriodSearch, readPeriod } from '../usage/period.ts';
import { readGrouping } from '../usage/search.ts';

export const OVERVIEW_GROUPINGS = ['model', 'key', 'protocol'] as const;
export type OverviewGrouping = (typeof OVERVIEW_GROUPINGS)[number];

/** What the address of the overview holds. */
export interface OverviewSearch extends PeriodSearch {
  readonly by?: OverviewGrouping | undefined;
}

function readSearch(raw: Readonly<Record<string, unknown>>): OverviewSearch {
  return { ...readPeriod(raw), by: readGrouping(raw.by, OVERVIEW_GROUPINGS) };
}

export const overviewRoute = createRoute({
  getParentRoute: () => userLayout,
  path: '/overview',
  validateSearch: readSearch,
  component: lazyRouteComponent(() => import('./overview.tsx'), 'Overview'),
});
