import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { operatorLayout } from '../../../app/layouts.ts';
import { readText, readWhole } from '../search.ts';

/** The names are those of the API. */
export interface AuditSearch {
  readonly entity?: string | undefined;
  readonly action?: string | undefined;
  readonly key?: string | undefined;
  readonly actor?: number | undefined;
  readonly account_id?: number | undefined;
  readonly page?: number | undefined;
  /** The open entry. */
  readonly entry?: number | undefined;
}

export const operatorAuditRoute = createRoute({
  getParentRoute: () => operatorLayout,
  path: '/operator/audit',
  validateSearch: (raw: Readonly<Record<string, unknown>>): AuditSearch => ({
    entity: readText(raw.entity),
    action: readText(raw.action),
    key: readText(raw.key),
    actor: readWhole(raw.actor),
    account_id: readWhole(raw.account_id),
    page: readWhole(raw.page),
    entry: readWhole(raw.entry),
  }),
  component: lazyRouteComponent(() => import('./audit.tsx'), 'Audit'),
});
