import { createRootRoute, createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { Page } from './page.tsx';
import { loadProfile, requireOperator, requireUser } from './session.ts';
import { loadSettings } from './settings.ts';
import { ConnectionNotice } from './shell/connection-notice.tsx';

export const rootRoute = createRootRoute({
  beforeLoad: async () => {
    await Promise.all([loadSettings(), loadProfile()]);
  },
  component: Page,
  // A page that cannot be opened yet says why.
  pendingComponent: ConnectionNotice,
  notFoundComponent: lazyRouteComponent(() => import('./not-found.tsx'), 'NotFound'),
  errorComponent: lazyRouteComponent(() => import('./not-found.tsx'), 'Broken'),
});

/** `/` leads everybody to the place where their day begins. */
export const homeRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/',
  beforeLoad: async () => {
    const profile = await loadProfile();
    if (profile === undefined) {
      const settings = await loadSettings();
      throw redirect({ to: settings?.operator_missing === true ? '/setup' : '/signin' });
    }
    throw redirect({ to: profile.role === 'operator' ? '/operator' : '/overview' });
  },
});

/** Pages for visitors: sign in, register, first set-up. */
export const publicLayout = createRoute({ getParentRoute: () => rootRoute, id: 'public' });

/** Pages for everybody: in the shell of users with a login, else below a bar with a way to sign in. */
export const openLayout = createRoute({
  getParentRoute: () => rootRoute,
  id: 'open',
  beforeLoad: async () => ({ profile: await loadProfile() }),
  component: lazyRouteComponent(() => import('./shell/open-shell.tsx'), 'OpenShell'),
});

export const userLayout = createRoute({
  getParentRoute: () => rootRoute,
  id: 'user',
  beforeLoad: ({ location }) => requireUser(location),
  component: lazyRouteComponent(() => import('./shell/user-shell.tsx'), 'UserShell'),
});

export const operatorLayout = createRoute({
  getParentRoute: () => rootRoute,
  id: 'operator',
  beforeLoad: ({ location }) => requireOperator(location),
  component: lazyRouteComponent(() => import('./shell/operator-shell.tsx'), 'OperatorShell'),
});
