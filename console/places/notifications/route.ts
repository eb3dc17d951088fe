import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { userLayout } from '../../app/layouts.ts';

export interface NotificationsSearch {
  /** The number of the open channel, or a new one. */
  readonly open?: number | 'new' | undefined;
  /** Which messages are listed. Left out: all. */
  readonly status?: 'dead' | undefined;
  readonly page?: number | undefined;
}

function readNumber(given: unknown): number | undefined {
  const number = Number(given);
  return Number.isSafeInteger(number) && number > 0 ? number : undefined;
}

export const notificationsRoute = createRoute({
  getParentRoute: () => userLayout,
  path: '/notifications',
  validateSearch: (given: Record<string, unknown>): NotificationsSearch => ({
    open: given.open === 'new' ? 'new' : readNumber(given.open),
    status: given.status === 'dead' ? 'dead' : undefined,
    page: readNumber(given.page),
  }),
  component: lazyRouteComponent(() => import('./notifications.tsx'), 'Notifications'),
});
