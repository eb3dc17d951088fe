import type { JobRequest } from '../jobs/job-request.ts';
import { MESSAGE_BATCHES_PATH } from './message-batches-endpoint.ts';

const HOST = /^[A-Za-z0-9.:[\]_-]{1,255}$/;

/**
 * Where the results of a batch are read here. Clients follow it with their key, so it never leads anywhere
 * else: to the public address of this server, or to the one that the client itself has used.
 */
export function resultsUrl(
  { gateway, headers }: Pick<JobRequest, 'gateway' | 'headers'>,
  id: string,
): string {
  const path = `${MESSAGE_BATCHES_PATH}/${encodeURIComponent(id)}/results`;
  if (gateway.publicUrl !== undefined) return gateway.publicUrl.replace(/\/{1,9}$/, '') + path;
  const { host = '' } = headers;
  const scheme = headers['x-forwarded-proto'] === 'https' ? 'https' : 'http';
  return HOST.test(host) ? `${scheme}://${host}${path}` : path;
}
