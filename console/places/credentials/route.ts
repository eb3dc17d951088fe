import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { userLayout } from '../../app/layouts.ts';

export interface CredentialsSearch {
  /** The number of the open credential, or a new one. */
  readonly open?: number | 'new' | undefined;
}

export const credentialsRoute = createRoute({
  getParentRoute: () => userLayout,
  path: '/credentials',
  validateSearch: (given: Record<string, unknown>): CredentialsSearch => {
    if (given.open === 'new') return { open: 'new' };
    const id = Number(given.open);
    return Number.isSafeInteger(id) && id > 0 ? { open: id } : { open: undefined };
  },
  component: lazyRouteComponent(() => import('./credentials.tsx'), 'Credentials'),
});
