import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { operatorLayout } from '../../../app/layouts.ts';
import { readOne, readWhole } from '../search.ts';

export interface VerificationSearch {
  readonly status?: 'approved' | 'refused' | 'all' | undefined;
  readonly page?: number | undefined;
  /** The open application. */
  readonly open?: number | undefined;
}

export const operatorVerificationRoute = createRoute({
  getParentRoute: () => operatorLayout,
  path: '/operator/verification',
  validateSearch: (raw: Readonly<Record<string, unknown>>): VerificationSearch => ({
    status: readOne(raw.status, ['approved', 'refused', 'all'] as const),
    page: readWhole(raw.page),
    open: readWhole(raw.open),
  }),
  component: lazyRouteComponent(() => import('./verification.tsx'), 'Verification'),
});
