import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { operatorLayout } from '../../../app/layouts.ts';
import { readCallSearch } from '../../calls/search.ts';

export const operatorCallsRoute = createRoute({
  getParentRoute: () => operatorLayout,
  path: '/operator/calls',
  validateSearch: readCallSearch,
  component: lazyRouteComponent(() => import('./calls.tsx'), 'AllCalls'),
});
