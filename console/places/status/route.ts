import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { openLayout } from '../../app/layouts.ts';

export const statusRoute = createRoute({
  getParentRoute: () => openLayout,
  path: '/status',
  component: lazyRouteComponent(() => import('./status.tsx'), 'Status'),
});
