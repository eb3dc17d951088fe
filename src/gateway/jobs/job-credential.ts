import type { CatalogSnapshot, Credential, Vendor } from '../../catalog/contract.ts';
import type { Job, JobKind } from '../../jobs/contract.ts';
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
  job: Pick<Job, 'own' | 'credential' | 'accountId'> & { readonly kind: JobKind | 'file' },
  own: readonly Credential[],
  { credentials, vendors }: Pick<CatalogSnapshot, 'credentials' | 'vendors'>,
): JobCredential | undefined {
  const credential = job.own
    ? own.find(({ name, ownerAccountId }) => name === job.credential && ownerAccountId === job.accountId)
    : credentials.get(job.credential);
  if (credential === undefined || credential.status !== 'enabled') return undefined;
  const vendor = vendors.get(credential.vendorCode);
  if (vendor === undefined || !hasObjects(vendor, job.kind)) return undefined;
  if (job.own && !mayUse(vendor, credential)) return undefined;
  return { vendor, credential };
}

/** No cloud has batches or files in the form of the vendor whose models it serves. */
export function hasObjects({ protocols, cloud }: Vendor, kind: JobKind | 'file'): boolean {
  if (kind === 'video') return protocols.includes('videos');
  if (cloud !== undefined) return false;
  return kind === 'message-batch'
    ? protocols.includes('messages')
    : protocols.some((one) => one !== 'messages');
}
