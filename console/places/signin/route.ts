import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { publicLayout } from '../../app/layouts.ts';
import { ownPath } from '../../app/own-path.ts';
import { loadProfile } from '../../app/session.ts';

export const signinRoute = createRoute({
  getParentRoute: () => publicLayout,
  path: '/signin',
  /** Where to go after the sign-in: a path of this console. */
  validateSearch: (given: { readonly next?: unknown }): { readonly next?: string | undefined } => ({
    // Undefined and not left out: what is left out stays as it came.
    next: ownPath(given.next),
  }),
  beforeLoad: async ({ search }) => {
    if ((await loadProfile()) !== undefined) throw redirect({ href: search.next ?? '/', replace: true });
  },
  component: lazyRouteComponent(() => import('./signin.tsx'), 'SignIn'),
});
