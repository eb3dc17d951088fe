import type { CapabilityOverrides } from '../kernel/capability.ts';
import type { Protocol } from '../kernel/protocol-name.ts';
import type {
  AccountDefaults,
  Announcement,
  CatalogSnapshot,
  Credential,
  GatewayNode,
  Model,
  Plan,
  Policy,
  Vendor,
} from './contract.ts';

/**
 * The catalogue file, read and checked: names instead of resolved objects. What stands outside the lists is
 * nothing when the file does not mention it, so that a small file leaves the rest as it is.
 */
export interface CatalogFile {
  readonly systemRateMicro: bigint | undefined;
  readonly defaults: AccountDefaults | undefined;
  readonly verificationGrants: CatalogSnapshot['verificationGrants'] | undefined;
  readonly vendors: readonly Vendor[];
  readonly credentials: readonly CredentialEntry[];
  readonly models: readonly ModelEntry[];
  readonly policies: readonly Policy[];
  readonly plans: readonly Plan[];
  readonly nodes: readonly GatewayNode[];
  readonly announcements: readonly Announcement[];
  readonly accounts: readonly AccountEntry[];
}

/** One thing wrong with a catalogue file. */
export interface Problem {
  /** `models[2].routes[0].vendor`; empty for the file as a whole. */
  readonly path: string;
  readonly message: string;
  /** 0 when no line can be named. */
  readonly line: number;
}

export type CatalogFileResult =
  | { readonly kind: 'catalog'; readonly document: CatalogFile }
  | { readonly kind: 'invalid'; readonly problems: readonly Problem[] };

/** The secret of a file may be empty: it is left out, and the stored one stays. */
export type CredentialEntry = Omit<Credential, 'id' | 'ownerAccountId'>;

export interface ModelEntry extends Omit<Model, 'routes' | 'createdAtMs'> {
  /** For all its routes, unless a route overrides it. */
  readonly capabilities: CapabilityOverrides | undefined;
  /** Nothing: the file does not speak of routes. Otherwise all of them: others of the model are disabled. */
  readonly routes: readonly RouteEntry[] | undefined;
}

export interface RouteEntry {
  readonly vendorCode: string;
  readonly credentialName: string;
  readonly forwardModelId: string;
  /** Nothing: all of the vendor's, in its order. */
  readonly protocols: readonly Protocol[] | undefined;
  readonly priority: number;
  readonly weight: number;
  readonly rateMultiplierMicro: bigint;
  readonly status: 'enabled' | 'disabled';
  readonly capabilities: CapabilityOverrides | undefined;
}

/** Bootstrap only: an account that exists is left as it is. */
export interface AccountEntry {
  readonly email: string;
  readonly password: string;
  readonly role: 'user' | 'operator';
  readonly status: 'enabled' | 'disabled';
  readonly userType: number;
  /** Nothing: the catalogue's defaults. */
  readonly userRateMicro: bigint | undefined;
  readonly apiBilling: boolean | undefined;
  readonly autoExchange: boolean | undefined;
  readonly extraApiQuotaMicro: bigint;
  readonly fallbackModel: string | null;
  readonly byokFallback: boolean;
  readonly balanceMicro: bigint;
  readonly creditsMicro: bigint;
  /** `days` undefined: the period of the plan. */
  readonly subscription: { readonly planCode: string; readonly days: number | undefined } | undefined;
}

/** What is stored already: a file may refer to it without repeating it. */
export interface KnownCatalog
  extends Pick<CatalogSnapshot, 'vendors' | 'credentials' | 'policies' | 'plans'> {
  readonly models: ReadonlyMap<string, unknown>;
}

/** Two routes are the same when these are: everything else of a route can be changed. */
export function routeKey(route: { credentialName: string; forwardModelId: string }): string {
  return `${route.credentialName} ${route.forwardModelId}`;
}

/** What the store holds, by natural key: the other side of a comparison, and what a snapshot is made of. */
export interface StoredCatalog
  extends Pick<CatalogSnapshot, 'version' | 'systemRateMicro' | 'defaults' | 'verificationGrants'> {
  readonly vendors: ReadonlyMap<string, Vendor>;
  /** The platform's own only. */
  readonly credentials: ReadonlyMap<string, Credential>;
  readonly models: ReadonlyMap<string, StoredModel>;
  readonly policies: ReadonlyMap<number, Policy>;
  readonly plans: ReadonlyMap<string, Plan>;
  readonly nodes: ReadonlyMap<string, GatewayNode>;
  readonly announcements: ReadonlyMap<number, Announcement>;
}

export interface StoredModel extends Omit<ModelEntry, 'routes'>, Pick<Model, 'createdAtMs'> {
  readonly routes: readonly StoredRoute[];
}

export interface StoredRoute extends RouteEntry {
  readonly id: number;
}
