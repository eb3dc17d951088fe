import type { Route } from '../../catalog/contract.ts';
import { type AttemptContext, isOwn } from './attempt-context.ts';

/** The answer is a job. The record of the call says so, and the account can ask for the job at once. */
export function noteJob({ call, facts, deps }: AttemptContext, route: Route, objectId: string): void {
  call.job = { kind: facts.job ?? 'video', objectId };
  deps.recentJobs.add({
    ...call.job,
    callId: call.id,
    accountId: call.caller.account.id,
    createdAtMs: call.createdAtMs,
    routeId: route.id,
    credential: route.credential.name,
    own: isOwn(route) === true,
    model: call.modelUsed,
    state: 'running',
  });
}
