import type { Logger } from '../kernel/log.ts';
import type { Random } from '../kernel/random.ts';
import type { Clock } from '../kernel/time/clock.ts';
import type { Failure, FailureName } from './http/failure.ts';
import type { Static, TObject, TSchema } from './http/schema.ts';

/**
 * One endpoint of the platform or of the operators, as data. Router, validation, OpenAPI document, tenant
 * matrix and fuzz targets are made from the same rows, so none of them can be forgotten.
 */
export interface Endpoint<
  Params extends TObject = TObject,
  Query extends TObject = TObject,
  Body extends TObject = TObject,
> {
  /** `keys.create`: its name in figures, in the audit log and in every table of tests. */
  readonly name: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Which base it stands under: see SURFACES. */
  readonly surface: Surface;
  /** Below the base, with `:name` for a parameter: `/api-key/detail/:id`. */
  readonly path: string;
  readonly access: Access;
  /** What it does in a few words; the operation id of OpenAPI is made of them. */
  readonly title: string;
  /** One sentence for OpenAPI, as a person would say it. */
  readonly summary: string;
  readonly tag: string;
  /** Texts of the path and the query are turned into what the schema says before they are checked. */
  readonly params?: Params;
  readonly query?: Query;
  readonly body?: Body;
  /** What stands in `data`; unknown fields of an answer are a fault of ours, not data for a client. */
  readonly data: TSchema;
  /** The answer has total, page and size, and the query takes page and size. */
  readonly paged?: true;
  /** The answer is a file of this content type (a TextAnswer); `data` then describes its text. */
  readonly file?: string;
  /** Failures beyond those that follow from access, schema and body. */
  readonly fails?: readonly FailureName[];
  /** Shown by OpenAPI; a test checks it against the schemas. */
  readonly example: { readonly body?: unknown; readonly data: unknown };
  handle(input: Input<Params, Query, Body>, context: Context): Promise<Answer>;
}

export type Surface = 'user' | 'auth' | 'admin';

/** The bases of the platform API; what rule I-49 says holds below all of them. */
export const SURFACES: Readonly<Record<Surface, string>> = {
  user: '/api/v1/user/user',
  auth: '/api/v1/user/auth',
  admin: '/api/v1/admin',
};

/** `optional`: a valid login is used, an invalid one is as good as none. */
export type Access = 'public' | 'optional' | 'user' | 'operator';

export interface Input<Params extends TObject, Query extends TObject, Body extends TObject> {
  readonly params: Static<Params>;
  readonly query: Static<Query>;
  readonly body: Static<Body>;
}

/** Who is logged in. Looked up for every request: a logout or a disabled account is in force at once. */
export interface LoggedIn {
  readonly accountId: number;
  readonly role: 'user' | 'operator';
  readonly sessionId: string;
}

/** What a handler knows beyond its input. */
export interface Context {
  /** There for `user` and `operator`; perhaps for `optional`. */
  readonly caller: LoggedIn | undefined;
  /** The client's own address; behind a trusted proxy the one it names. */
  readonly address: string;
  /** As the client sent it, '' without one; shown to the account's owner only. */
  readonly userAgent: string;
  /** platform/http/cookies.ts `readCookies`. */
  readonly cookies: ReadonlyMap<string, string>;
  readonly requestId: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

export type Answer = DataAnswer | PageAnswer | TextAnswer | Failure;

export interface DataAnswer {
  readonly kind: 'data';
  readonly data: unknown;
  /** `name=value; HttpOnly; …`, for logins of the console. */
  readonly cookies?: readonly string[];
}

export interface PageAnswer {
  readonly kind: 'page';
  readonly rows: readonly unknown[];
  readonly total: number;
  readonly page: number;
  readonly size: number;
}

/** An export: written as it is read, never whole in memory. */
export interface TextAnswer {
  readonly kind: 'text';
  readonly contentType: string;
  readonly fileName: string;
  readonly chunks: AsyncIterable<string>;
}

/** Keeps the types of one row together; it does nothing else. */
export function endpoint<Params extends TObject, Query extends TObject, Body extends TObject>(
  row: Endpoint<Params, Query, Body>,
): Endpoint {
  return row as unknown as Endpoint;
}

export function data(value: unknown): DataAnswer {
  return { kind: 'data', data: value };
}
