import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { operatorLayout } from '../../../app/layouts.ts';
import { readOne } from '../search.ts';

export const PERIODS = ['24h', '7d', '30d'] as const;
export type Period = (typeof PERIODS)[number];

export interface OverviewSearch {
  readonly period?: Period | undefined;
  /** How money is grouped. */
  readonly by?: 'model' | undefined;
  /** How errors are shown. */
  readonly errors?: 'time' | undefined;
  readonly doctor?: 'open' | undefined;
}

export const operatorOverviewRoute = createRoute({
  getParentRoute: () => operatorLayout,
  path: '/operator',
  validateSearch: (raw: Readonly<Record<string, unknown>>): OverviewSearch => ({
    period: readOne(raw.period, PERIODS),
    by: readOne(raw.by, ['model'] as const),
    errors: readOne(raw.errors, ['time'] as const),
    doctor: readOne(raw.doctor, ['open'] as const),
  }),
  component: lazyRouteComponent(() => import('./overview.tsx'), 'OperatorOverview'),
});
