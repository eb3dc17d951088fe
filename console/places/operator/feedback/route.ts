import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { operatorLayout } from '../../../app/layouts.ts';
import { readOne, readWhole } from '../search.ts';

export interface FeedbackSearch {
  readonly status?: 'done' | 'all' | undefined;
  readonly page?: number | undefined;
}

export const operatorFeedbackRoute = createRoute({
  getParentRoute: () => operatorLayout,
  path: '/operator/feedback',
  validateSearch: (raw: Readonly<Record<string, unknown>>): FeedbackSearch => ({
    status: readOne(raw.status, ['done', 'all'] as const),
    page: readWhole(raw.page),
  }),
  component: lazyRouteComponent(() => import('./feedback.tsx'), 'Feedback'),
});
