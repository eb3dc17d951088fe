import { JOB_REQUEST_SLOTS } from '../../src/gateway/jobs/bounds.ts';
import { Semaphore } from '../../src/kernel/async/semaphore.ts';

/** What a gateway needs so that every question enters. */
export function openGate() {
  return {
    gate: { enter: () => ({ kind: 'entered', lease: {} }), leave: () => undefined },
    observer: { gateRefused: () => undefined, endpointServed: () => undefined },
    jobRequests: new Semaphore(JOB_REQUEST_SLOTS),
  };
}
