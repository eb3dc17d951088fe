import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { operatorLayout } from '../../../app/layouts.ts';
import { readOne, readWhole } from '../search.ts';

export const TABS = [
  ...(['summary', 'calls', 'usage', 'ledger', 'keys', 'limits', 'credentials'] as const),
  ...(['sessions', 'audit', 'notes'] as const),
] as const;
export type Tab = (typeof TABS)[number];

export interface AccountSearch {
  readonly tab?: Tab | undefined;
  /** Of the list in the tab. */
  readonly page?: number | undefined;
}

export const operatorAccountRoute = createRoute({
  getParentRoute: () => operatorLayout,
  path: '/operator/accounts/$id',
  validateSearch: (raw: Readonly<Record<string, unknown>>): AccountSearch => ({
    tab: readOne(raw.tab, TABS),
    page: readWhole(raw.page),
  }),
  component: lazyRouteComponent(() => import('./account.tsx'), 'AccountPage'),
});
