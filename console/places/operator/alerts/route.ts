import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { operatorLayout } from '../../../app/layouts.ts';
import { readOne, readWhole } from '../search.ts';

export const DELIVERY_STATES = ['dead', 'waiting', 'sent'] as const;

export interface AlertsSearch {
  /** The number of the open channel, or a new one. */
  readonly open?: number | 'new' | undefined;
  /** Which messages are listed. Left out: all. */
  readonly status?: (typeof DELIVERY_STATES)[number] | undefined;
  readonly page?: number | undefined;
}

export const operatorAlertsRoute = createRoute({
  getParentRoute: () => operatorLayout,
  path: '/operator/alerts',
  validateSearch: (raw: Readonly<Record<string, unknown>>): AlertsSearch => ({
    open: raw.open === 'new' ? 'new' : readWhole(raw.open),
    status: readOne(raw.status, DELIVERY_STATES),
    page: readWhole(raw.page),
  }),
  component: lazyRouteComponent(() => import('./alerts.tsx'), 'Alerts'),
});
