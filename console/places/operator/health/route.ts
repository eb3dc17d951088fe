import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { operatorLayout } from '../../../app/layouts.ts';
import { readOne, readText } from '../search.ts';

export interface HealthSearch {
  readonly vendor?: string | undefined;
  /** Only what does not serve as it should. */
  readonly only?: 'trouble' | undefined;
}

export const operatorHealthRoute = createRoute({
  getParentRoute: () => operatorLayout,
  path: '/operator/health',
  validateSearch: (raw: Readonly<Record<string, unknown>>): HealthSearch => ({
    vendor: readText(raw.vendor),
    only: readOne(raw.only, ['trouble'] as const),
  }),
  component: lazyRouteComponent(() => import('./health.tsx'), 'Health'),
});
