import type { Model } from '../../catalog/contract.ts';
import type { Protocol } from '../../kernel/protocol-name.ts';
import { canServe } from './route-protocols.ts';

/** Whether the list shows the model to clients of one of these protocols: rule I-48 without the account. */
export function isOffered({ status, clientVisible, routes }: Model, protocols: readonly Protocol[]): boolean {
  if (status !== 'enabled' || !clientVisible) return false;
  return routes.some(
    (route) =>
      route.status === 'enabled' &&
      route.credential.status === 'enabled' &&
      protocols.some((protocol) => canServe(route, protocol)),
  );
}
