import type { CatalogSnapshot, Credential, Vendor } from '../../catalog/contract.ts';
import type { Job } from '../../jobs/contract.ts';
import { mayUse } from '../admit/byok-routes.ts';

/** The credential that created a job, and its vendor. */
export interface JobCredential {
  readonly vendor: Vendor;
  readonly credential: Credential;
}

/**
 * Only the credential that created a job knows it, so no other one is ever asked. It may be used as long as
 * it is there and enabled, also if its route has ended. `own`: the credentials of the account.
 */
export function findJobCredential(
  job: Job,
  own: readonly Credential[],
  { credentials, vendors }: Pick<CatalogSnapshot, 'credentials' | 'vendors'>,
): JobCredential | undefined {
  const credential = job.own
    ? own.find(({ name, ownerAccountId }) => name === job.credential && ownerAccountId === job.accountId)
    : credentials.get(job.credential);
  if (credential === undefined || credential.status !== 'enabled') return undefined;
  const vendor = vendors.get(credential.vendorCode);
  if (vendor === undefined || !vendor.protocols.includes('videos')) return undefined;
  if (job.own && !mayUse(vendor, credential)) return undefined;
  return { vendor, credential };
}
