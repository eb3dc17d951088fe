import { ENDPOINTS } from '../endpoints/contract.ts';
import type { JobRequest } from '../jobs/job-request.ts';

const HOST = /^[A-Za-z0-9.:[\]_-]{1,255}$/;

/**
 * Where the results of a batch are read here. Clients follow it with their key, so it never leads anywhere
 * else: to the public address of this server, or to the one that the client itself has used.
 */
export function resultsUrl(
  { gateway, headers }: Pick<JobRequest, 'gateway' | 'headers'>,
  id: string,
): string {
  const path = ENDPOINTS.getMessageBatchResults.path.replace('{id}', encodeURIComponent(id));
  if (gateway.publicUrl !== undefined) return gateway.publicUrl.replace(/\/{1,9}$/, '') + path;
  const { host = '' } = headers;
  const scheme = headers['x-forwarded-proto'] === 'https' ? 'https' : 'http';
  return HOST.test(host) ? `${scheme}://${host}${path}` : path;
}
