import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { publicLayout } from '../../../app/layouts.ts';
import { requireOperator } from '../../../app/session.ts';

/** Without the frame of operators: there is nothing to go to yet. */
export const operatorFirstRunRoute = createRoute({
  getParentRoute: () => publicLayout,
  path: '/operator/first-run',
  beforeLoad: ({ location }) => requireOperator(location),
  component: lazyRouteComponent(() => import('./first-run.tsx'), 'FirstRun'),
});
