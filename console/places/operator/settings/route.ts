import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { operatorLayout } from '../../../app/layouts.ts';

export const operatorSettingsRoute = createRoute({
  getParentRoute: () => operatorLayout,
  path: '/operator/settings',
  component: lazyRouteComponent(() => import('./settings.tsx'), 'OperatorSettings'),
});
