import type { Route } from '../../catalog/contract.ts';
import type { UpstreamHead } from '../../upstream/contract.ts';
import { type AttemptContext, attemptCount } from '../attempt/attempt-context.ts';
import type { Translation } from '../convert/translation.ts';
import { droppedHeaders, modelHeaders, ownHeaders } from './answer.ts';

/** The headers of an answer: those of the vendor that the client may see, and ours about who served it. */
export function servedHeaders(
  { call, model }: AttemptContext,
  route: Route,
  translation: Translation,
  head: UpstreamHead,
): string[] {
  const headers = translation.answerHeaders(head);
  headers.push(...ownHeaders(call.id, call.endpoint.protocol), ...modelHeaders(model.modelId));
  headers.push('x-tollgate-route', String(route.id), 'x-tollgate-attempts', String(attemptCount(call)));
  if (translation.outputLimit !== undefined) {
    headers.push('x-tollgate-max-output-tokens', String(translation.outputLimit));
  }
  if (translation.dropped.length > 0) headers.push(...droppedHeaders(translation.dropped));
  return headers;
}
