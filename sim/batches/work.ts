import type { Clock } from '../../src/kernel/time/clock.ts';
import { makePlan } from '../answer/plan.ts';
import type { Dialect, VendorRequest } from '../dialect.ts';
import { isReply } from '../request/ask.ts';
import { findDirective } from '../request/directive.ts';
import type { BatchItem } from './batches.ts';

const NOTHING = { input: 0, cacheRead: 0, cacheWrite: 0, output: 0 };

/** Answers one request of a batch as the vendor answers a call of its own. */
export function workOn(
  customId: string,
  dialect: Dialect,
  { request, clock }: { readonly request: VendorRequest; readonly clock: Clock },
): BatchItem {
  const ask = dialect.examine(request);
  if (isReply(ask)) {
    // On one line, as everything in such a file.
    const answer = JSON.stringify(JSON.parse(ask.body));
    return { customId, outcome: 'errored', answer, status: ask.status, used: NOTHING };
  }
  const directive = findDirective(ask.text, {}, '');
  const plan = makePlan(ask, directive, clock, dialect.newAnswerId());
  const { input, cacheRead, cacheWrite, output } = plan.counts;
  const used = { input, cacheRead, cacheWrite, output };
  return { customId, outcome: 'succeeded', answer: dialect.plain(plan), status: 200, used };
}
