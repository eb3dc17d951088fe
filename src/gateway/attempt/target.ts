import { hash } from 'node:crypto';
import type { Route } from '../../catalog/contract.ts';
import { getCapabilities } from '../../protocol/capability/table.ts';
import type { Target } from '../../protocol/hub/codec.ts';
import type { TextProtocol } from '../../protocol/hub/protocol.ts';

/** Routes are immutable, so a target stays valid as long as its route. */
const targets = new WeakMap<Route, Map<string, Target>>();

/** The vendor's side of a conversion. With `signatures: 'none'` no signature is sent back to the vendor. */
export function toTarget(route: Route, protocol: TextProtocol, signatures: 'own' | 'none'): Target {
  let known = targets.get(route);
  if (known === undefined) {
    known = new Map();
    targets.set(route, known);
  }
  const key = `${protocol} ${signatures}`;
  let target = known.get(key);
  if (target === undefined) {
    target = makeTarget(route, protocol, signatures);
    known.set(key, target);
  }
  return target;
}

function makeTarget(route: Route, protocol: TextProtocol, signatures: 'own' | 'none'): Target {
  const model = route.forwardModelId;
  return Object.freeze({
    protocol,
    model,
    issuer: signatures === 'none' ? 'none' : toIssuer(route, protocol),
    capabilities: getCapabilities(protocol, model, route.capabilities),
  });
}

/**
 * Rule C-6: signatures are bound to protocol, vendor, credential and model. The hash reveals none of them.
 */
function toIssuer({ vendor, credential, forwardModelId }: Route, protocol: TextProtocol): string {
  const text = [protocol, vendor.code, credential.id, forwardModelId].join('\n');
  return `${protocol}-${hash('sha256', text, 'hex').slice(0, 12)}`;
}
