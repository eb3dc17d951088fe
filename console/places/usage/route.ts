import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { userLayout } from '../../app/layouts.ts';
import { readUsageSearch } from './search.ts';

export const usageRoute = createRoute({
  getParentRoute: () => userLayout,
  path: '/usage',
  validateSearch: readUsageSearch,
  component: lazyRouteComponent(() => import('./usage.tsx'), 'Usage'),
});
