import { createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router';
import { homeRoute, openLayout, operatorLayout, publicLayout, rootRoute, userLayout } from './app/layouts.ts';
import { announcementsRoute } from './places/announcements/route.ts';
import { callsRoute } from './places/calls/route.ts';
import { credentialsRoute } from './places/credentials/route.ts';
import { keysRoute } from './places/keys/route.ts';
import { modelsRoute } from './places/models/route.ts';
import { notificationsRoute } from './places/notifications/route.ts';
import { operatorAccountRoute } from './places/operator/account/route.ts';
import { operatorAccountsRoute } from './places/operator/accounts/route.ts';
import { operatorAlertsRoute } from './places/operator/alerts/route.ts';
import { operatorAuditRoute } from './places/operator/audit/route.ts';
import { operatorCallsRoute } from './places/operator/calls/route.ts';
import { operatorCatalogueRoute } from './places/operator/catalogue/route.ts';
import { operatorFeedbackRoute } from './places/operator/feedback/route.ts';
import { operatorFirstRunRoute } from './places/operator/first-run/route.ts';
import { operatorHealthRoute } from './places/operator/health/route.ts';
import { operatorNodesRoute } from './places/operator/nodes/route.ts';
import { operatorOverviewRoute } from './places/operator/overview/route.ts';
import { operatorSettingsRoute } from './places/operator/settings/route.ts';
import { operatorVerificationRoute } from './places/operator/verification/route.ts';
import { overviewRoute } from './places/overview/route.ts';
import { planRoute } from './places/plan/route.ts';
import { playgroundRoute } from './places/playground/route.ts';
import { rankingsRoute } from './places/rankings/route.ts';
import { forgotPasswordRoute, resetPasswordRoute, verifyAddressRoute } from './places/recover/route.ts';
import { registerRoute } from './places/register/route.ts';
import { settingsRoute } from './places/settings/route.ts';
import { setupRoute } from './places/setup/route.ts';
import { signinRoute } from './places/signin/route.ts';
import { startRoute } from './places/start/route.ts';
import { statusRoute } from './places/status/route.ts';
import { usageRoute } from './places/usage/route.ts';
import { walletRoute } from './places/wallet/route.ts';

/** Shows every part, for who builds pages. Nothing links to it. */
const partsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/parts',
  component: lazyRouteComponent(() => import('./places/parts/parts.tsx'), 'Parts'),
});

/** Every place of the console. A place that is not listed here cannot be reached. */
const routeTree = rootRoute.addChildren([
  homeRoute,
  partsRoute,
  publicLayout.addChildren([
    signinRoute,
    registerRoute,
    forgotPasswordRoute,
    resetPasswordRoute,
    verifyAddressRoute,
    setupRoute,
    operatorFirstRunRoute,
  ]),
  openLayout.addChildren([modelsRoute, rankingsRoute, announcementsRoute, statusRoute]),
  userLayout.addChildren([
    startRoute,
    overviewRoute,
    playgroundRoute,
    keysRoute,
    callsRoute,
    usageRoute,
    walletRoute,
    planRoute,
    credentialsRoute,
    notificationsRoute,
    settingsRoute,
  ]),
  operatorLayout.addChildren([
    operatorOverviewRoute,
    operatorCallsRoute,
    operatorAccountsRoute,
    operatorAccountRoute,
    operatorCatalogueRoute,
    operatorHealthRoute,
    operatorNodesRoute,
    operatorAlertsRoute,
    operatorVerificationRoute,
    operatorFeedbackRoute,
    operatorAuditRoute,
    operatorSettingsRoute,
  ]),
]);

export const router = createRouter({ routeTree, defaultPreload: 'intent', scrollRestoration: true });

/**
 * Reads the files of the place that the address names, while it is asked who is signed in. A failure shows
 * later.
 */
export function loadOpenedPlace(): void {
  const [routes] = router.getMatchedRoutes(router.latestLocation.pathname);
  for (const route of routes) router.loadRouteChunk(route)?.catch(() => {});
}

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
