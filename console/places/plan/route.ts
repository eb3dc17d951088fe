import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { userLayout } from '../../app/layouts.ts';

export const planRoute = createRoute({
  getParentRoute: () => userLayout,
  path: '/plan',
  component: lazyRouteComponent(() => import('./plan.tsx'), 'Plan'),
});
