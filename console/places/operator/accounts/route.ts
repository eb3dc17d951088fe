import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { operatorLayout } from '../../../app/layouts.ts';
import { readOne, readText, readWhole } from '../search.ts';

/** The names are those of the API. */
export interface AccountsSearch {
  readonly email?: string | undefined;
  readonly status?: 'enabled' | 'disabled' | undefined;
  readonly role?: 'user' | 'operator' | undefined;
  readonly sort?: AccountSort | undefined;
  readonly dir?: 'up' | undefined;
  readonly page?: number | undefined;
}

/** The default is the first. */
export const ACCOUNT_SORTS = ['created_at', 'balance', 'credits', 'month_spent', 'last_seen_at'] as const;
export type AccountSort = (typeof ACCOUNT_SORTS)[number];

export const operatorAccountsRoute = createRoute({
  getParentRoute: () => operatorLayout,
  path: '/operator/accounts',
  validateSearch: (raw: Readonly<Record<string, unknown>>): AccountsSearch => ({
    email: readText(raw.email),
    status: readOne(raw.status, ['enabled', 'disabled'] as const),
    role: readOne(raw.role, ['user', 'operator'] as const),
    sort: readOne(raw.sort, ACCOUNT_SORTS),
    dir: readOne(raw.dir, ['up'] as const),
    page: readWhole(raw.page),
  }),
  component: lazyRouteComponent(() => import('./accounts.tsx'), 'Accounts'),
});
