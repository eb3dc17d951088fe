import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { publicLayout } from '../../app/layouts.ts';

export const setupRoute = createRoute({
  getParentRoute: () => publicLayout,
  path: '/setup',
  component: lazyRouteComponent(() => import('./setup.tsx'), 'SetUp'),
});
