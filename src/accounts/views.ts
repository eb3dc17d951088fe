import type { Credential } from '../catalog/contract.ts';

/** A BYOK credential of the account, as its owner sees it. */
export interface ByokView {
  readonly id: number;
  readonly vendorCode: string;
  readonly name: string;
  /** The last characters of the secret. Empty if the secret is too short to show them. */
  readonly hint: string;
  readonly baseUrl: string | undefined;
  readonly status: Credential['status'];
  readonly createdAtMs: number;
}

export interface CredentialUse {
  /** By the name of the credential at that time; it may be deleted. */
  readonly name: string;
  readonly calls: bigint;
  readonly failed: bigint;
  readonly inputTokens: bigint;
  readonly outputTokens: bigint;
  readonly images: bigint;
}

/** The last attempts with a BYOK credential. */
export interface RecentUse {
  readonly lastUsedAtMs: number;
  /** `ok`, an HTTP status, or the kind of failure. */
  readonly lastOutcome: string;
  /** The first failure since the last success. Undefined if the last attempt succeeded. */
  readonly failingSinceMs: number | undefined;
}

export type VerificationKind = 'personal' | 'enterprise';

/** The data of an account for an operator to check. */
export interface VerificationFields {
  readonly name: string;
  readonly documentNumber: string;
  readonly contact: string | undefined;
}
