import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { openLayout } from '../../app/layouts.ts';

export const PERIODS = ['day', 'week', 'month'] as const;
export const ORDERS = ['calls', 'tokens', 'users'] as const;

export interface RankingsSearch {
  readonly period?: (typeof PERIODS)[number] | undefined;
  readonly by?: (typeof ORDERS)[number] | undefined;
}

export const rankingsRoute = createRoute({
  getParentRoute: () => openLayout,
  path: '/rankings',
  // Every field is there: where one is missing the router keeps what it read itself.
  validateSearch: (given: Record<string, unknown>): RankingsSearch => {
    const period = PERIODS.find((each) => each === given.period);
    const by = ORDERS.find((each) => each === given.by);
    return { period, by };
  },
  component: lazyRouteComponent(() => import('./rankings.tsx'), 'Rankings'),
});
