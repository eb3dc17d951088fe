import type { Clock } from '../../kernel/time/clock.ts';
import type { UpstreamClient } from '../contract.ts';
import { CloudExchange } from './exchange.ts';
import { Grants } from './grants.ts';

/**
 * A client that also reaches clouds: it authorises their requests and reads their framing. Requests to plain
 * vendors go to the inner client in the same turn, and nothing is put between.
 */
export function createCloudClient(inner: UpstreamClient, clock: Clock): UpstreamClient {
  const ports = { client: inner, grants: new Grants(inner, clock), clock };
  return {
    send: (request, handler) => {
      if (request.cloud === undefined) return inner.send(request, handler);
      const exchange = new CloudExchange(ports, { ...request, cloud: request.cloud }, handler);
      exchange.start();
      return exchange;
    },
    close: () => inner.close(),
  };
}
