import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { userLayout } from '../../app/layouts.ts';
import { readCallSearch } from './search.ts';

export const callsRoute = createRoute({
  getParentRoute: () => userLayout,
  path: '/calls',
  validateSearch: readCallSearch,
  component: lazyRouteComponent(() => import('./calls.tsx'), 'Calls'),
});
