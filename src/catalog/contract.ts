import type { CapabilityOverrides } from '../kernel/capability.ts';
import type { Protocol } from '../kernel/protocol-name.ts';

/**
 * The offer, as the gateway sees it: immutable, resolved (routes hold their vendor and credential, not
 * names), with one version for the whole. Rule S-1 lists what it holds; file/file.ts is the YAML form.
 * Rates are micro-units with 100 = list price (100_000_000n); prices are micro-yuan per million tokens or
 * per item.
 */
export interface Vendor {
  readonly code: string;
  readonly name: string;
  readonly icon: string;
  readonly protocols: readonly Protocol[];
  readonly baseUrl: string;
  readonly rateMicro: bigint;
  readonly byok: boolean;
  readonly customBaseUrl: boolean;
  /** Nothing: the secret of a credential is the key, sent in a header. */
  readonly cloud?: Cloud | undefined;
}

export const CLOUD_KINDS = ['azure', 'bedrock', 'vertex'] as const;
export type CloudKind = (typeof CLOUD_KINDS)[number];

/** A vendor whose requests need more than an address and a key. cloud.ts says which kind has which field. */
export interface Cloud {
  readonly kind: CloudKind;
  /** Azure: the version of the form with deployments. Nothing: the form `/openai/v1`. */
  readonly apiVersion?: string;
  /** Bedrock: the region that requests are signed for. */
  readonly region?: string;
  /** Vertex: the project, if it is not that of the service account. */
  readonly project?: string;
  /** Vertex: a region, or `global`. */
  readonly location?: string;
  /** Where tokens are requested. Nothing: the vendor's own address. */
  readonly tokenUrl?: string;
}

export interface CredentialLimits {
  readonly concurrency?: number;
  readonly rpm?: number;
  readonly tpm?: number;
}

export interface Credential {
  readonly id: number;
  readonly name: string;
  readonly vendorCode: string;
  /** In clear, in memory only: never logged, never in an error, never in a URL. */
  readonly secret: string;
  /** Replaces the vendor's address. Key and address come from one record: neither meets a stranger. */
  readonly baseUrl: string | undefined;
  readonly rateMicro: bigint;
  readonly limits: CredentialLimits;
  readonly status: 'enabled' | 'disabled';
  /** Nothing: the platform's own. Otherwise BYOK of that account. */
  readonly ownerAccountId: number | undefined;
}

export interface Restriction {
  readonly kind: 'none' | 'verification' | 'plan';
  readonly level: number;
}

export interface Prices {
  readonly inputMicro: bigint;
  readonly outputMicro: bigint;
  /** Rule M-2: unset falls back to the input (or output) price. */
  readonly cacheInputMicro: bigint | undefined;
  readonly cacheOutputMicro: bigint | undefined;
  readonly cacheWriteMicro: bigint | undefined;
  readonly imageMicro: bigint;
  readonly videoMicro: bigint;
}

/**
 * Which route of a priority is tried first: at random by weight, the one with the shortest measured time to
 * the first token, the cheapest, or the one whose credential has the prompt in its vendor's cache.
 */
export const ROUTINGS = ['weight', 'latency', 'cost', 'cache'] as const;
export type Routing = (typeof ROUTINGS)[number];

export interface Model {
  readonly modelId: string;
  readonly name: string;
  readonly status: 'enabled' | 'disabled';
  readonly clientVisible: boolean;
  readonly restriction: Restriction;
  readonly supportFeatures: readonly string[];
  readonly prices: Prices;
  /** A bit set: 1 tokens, 2 per image, 4 per video. */
  readonly billingModes: number;
  readonly contextWindow: number | undefined;
  readonly maxOutputTokens: number | undefined;
  readonly routing: Routing;
  /** What the tokens of a batch cost of their prices; 100 (100_000_000n) is list price. */
  readonly batchRateMicro: bigint;
  /** When it entered the catalogue; nothing if that was before the catalogue noted it. */
  readonly createdAtMs?: number | undefined;
  /** Every route of the model, disabled ones too, by priority. */
  readonly routes: readonly Route[];
}

export interface Route {
  readonly id: number;
  readonly modelId: string;
  readonly vendor: Vendor;
  readonly credential: Credential;
  readonly forwardModelId: string;
  /** What this route speaks, in order of preference: the vendor's protocols or the subset named. */
  readonly protocols: readonly Protocol[];
  /** Lower first. */
  readonly priority: number;
  /** Share within a priority. */
  readonly weight: number;
  readonly rateMultiplierMicro: bigint;
  readonly status: 'enabled' | 'disabled';
  /**
   * What the operator says about the vendor's model, the route's word before the model's; nothing: what the
   * table says. One frozen object as long as this snapshot is in force, so what follows from it can be kept.
   */
  readonly capabilities: CapabilityOverrides | undefined;
}

export const DIMENSIONS = ['requests', 'tokens', 'images', 'videos', 'amount'] as const;
export type Dimension = (typeof DIMENSIONS)[number];

export interface PolicyWindow {
  readonly dimension: Dimension;
  readonly seconds: number;
  /** A count, or micro-yuan for `amount`. */
  readonly limit: bigint;
}

export interface Policy {
  readonly id: number;
  readonly name: string;
  readonly concurrency: number | undefined;
  readonly windows: readonly PolicyWindow[];
  /** Whether users may choose it for their keys. By default they may, unless it belongs to a plan. */
  readonly selectable?: boolean | undefined;
}

export interface CoverageWindow {
  readonly seconds: number;
  readonly amountMicro: bigint;
}

export interface Plan {
  readonly code: string;
  readonly level: number;
  readonly name: string;
  readonly priceMicro: bigint;
  readonly days: number;
  readonly policyId: number | undefined;
  readonly coversModels: readonly string[] | '*';
  readonly coverageWindows: readonly CoverageWindow[];
}

export interface GatewayNode {
  readonly name: string;
  readonly baseUrl: string;
  readonly region: string;
  readonly rateMicro: bigint;
}

export interface Announcement {
  readonly id: number;
  readonly title: string;
  readonly body: string;
  readonly startsAt: string;
  readonly endsAt: string;
}

export interface AccountDefaults {
  readonly policyId: number | undefined;
  readonly userRateMicro: bigint;
  readonly apiBilling: boolean;
  readonly autoExchange: boolean;
}

export interface CatalogSnapshot {
  readonly version: number;
  readonly systemRateMicro: bigint;
  readonly defaults: AccountDefaults;
  readonly verificationGrants: { readonly personalMicro: bigint; readonly enterpriseMicro: bigint };
  readonly vendors: ReadonlyMap<string, Vendor>;
  readonly credentials: ReadonlyMap<string, Credential>;
  readonly models: ReadonlyMap<string, Model>;
  readonly policies: ReadonlyMap<number, Policy>;
  readonly plans: ReadonlyMap<string, Plan>;
  readonly nodes: readonly GatewayNode[];
  readonly announcements: readonly Announcement[];
}
