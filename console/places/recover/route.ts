import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { publicLayout } from '../../app/layouts.ts';

export const forgotPasswordRoute = createRoute({
  getParentRoute: () => publicLayout,
  path: '/forgot-password',
  component: lazyRouteComponent(() => import('./forgot-password.tsx'), 'ForgotPassword'),
});

/** Where the link of a mail leads. The token stands behind `#`. */
export const resetPasswordRoute = createRoute({
  getParentRoute: () => publicLayout,
  path: '/reset-password',
  component: lazyRouteComponent(() => import('./reset-password.tsx'), 'ResetPassword'),
});

export const verifyAddressRoute = createRoute({
  getParentRoute: () => publicLayout,
  path: '/verify-address',
  component: lazyRouteComponent(() => import('./verify-address.tsx'), 'VerifyAddress'),
});
