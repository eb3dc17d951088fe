import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { operatorLayout } from '../../../app/layouts.ts';

export const operatorNodesRoute = createRoute({
  getParentRoute: () => operatorLayout,
  path: '/operator/nodes',
  component: lazyRouteComponent(() => import('./nodes.tsx'), 'Nodes'),
});
