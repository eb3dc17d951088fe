import type { Model } from '../../catalog/contract.ts';
import type { Protocol } from '../../kernel/protocol-name.ts';
import { canServe } from './route-protocols.ts';

/** Whether clients of one of these protocols are shown the model: rule I-48 without what an account may use. */
export function isOffered({ status, clientVisible, routes }: Model, protocols: readonly Protocol[]): boolean {
  if (status !== 'enabled' || !clientVisible) return false;
  return routes.some(
    (route) =>
      route.status === 'enabled' &&
      route.credential.status === 'enabled' &&
      protocols.some((protocol) => canServe(route, protocol)),
  );
}
