import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { publicLayout } from '../../app/layouts.ts';
import { loadProfile } from '../../app/session.ts';

export const registerRoute = createRoute({
  getParentRoute: () => publicLayout,
  path: '/register',
  beforeLoad: async () => {
    if ((await loadProfile()) !== undefined) throw redirect({ to: '/', replace: true });
  },
  component: lazyRouteComponent(() => import('./register.tsx'), 'Register'),
});
