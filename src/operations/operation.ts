import type { Context, EventSink } from './context.ts';
import type { Failure, FailureName } from './failure.ts';
import type { Static, TObject, TSchema } from './schema.ts';

/**
 * What a person may do on the platform, declared once, as data: a constant whose handler takes everything
 * from its input and its context. Router, validation, OpenAPI document, tenant matrix and fuzz targets are
 * built from the same list, so none of them can miss an operation.
 */
export interface Operation<
  Params extends TObject = TObject,
  Query extends TObject = TObject,
  Body extends TObject = TObject,
> {
  /** For example `keys.create`: its name in metrics, in the audit log and in tests. */
  readonly name: string;
  /** Its name in generated clients, for example `createKey`. It stays when the title changes. */
  readonly id: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** The base of its path: see SURFACES. */
  readonly surface: Surface;
  /** Below the base, with `:name` for a parameter: `/api-key/detail/:id`. */
  readonly path: string;
  readonly access: Access;
  /** What it does in a few words. The operation id of OpenAPI is derived from it. */
  readonly title: string;
  /** One sentence for OpenAPI. */
  readonly summary: string;
  readonly tag: string;
  /** Texts of path and query are converted to the types of the schema before they are checked. */
  readonly params?: Params;
  readonly query?: Query;
  readonly body?: Body;
  /** The schema of `data`. Fields of an answer that it does not have are a fault. */
  readonly data: TSchema;
  /** The answer has total, page and size, and the query takes page and size. */
  readonly paged?: true;
  /** The answer is a file of this content type (a TextAnswer). `data` then describes its text. */
  readonly file?: string;
  /** The answer is a stream of events. The header `Last-Event-ID` counts as the query's `after`. */
  readonly events?: true;
  /** Failures besides those that follow from access, schema and body. */
  readonly fails?: readonly FailureName[];
  /** Shown by OpenAPI. A test checks it against the schemas. */
  readonly example: { readonly body?: unknown; readonly data: unknown };
  handle(input: Input<Params, Query, Body>, context: Context): Promise<Answer>;
}

export type Surface = 'user' | 'auth' | 'admin';

/** The bases of the platform API. Rule I-49 holds below all of them. */
export const SURFACES: Readonly<Record<Surface, string>> = {
  user: '/api/v1/user/user',
  auth: '/api/v1/user/auth',
  admin: '/api/v1/admin',
};

/** `optional`: a valid login is used, an invalid one is ignored. */
export type Access = 'public' | 'optional' | 'user' | 'operator';

export interface Input<Params extends TObject, Query extends TObject, Body extends TObject> {
  readonly params: Static<Params>;
  readonly query: Static<Query>;
  readonly body: Static<Body>;
}

export type Answer = DataAnswer | PageAnswer | TextAnswer | EventsAnswer | Failure;

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

/** An export. It is written while it is read, never whole in memory. */
export interface TextAnswer {
  readonly kind: 'text';
  readonly contentType: string;
  readonly fileName: string;
  readonly chunks: AsyncIterable<string>;
}

/** Server-sent events. Between two of them it takes no slot and no connection to the database. */
export interface EventsAnswer {
  readonly kind: 'events';
  /** Begins to send. The function that it returns is called once, when the client is gone. */
  open(sink: EventSink): () => void;
}

/** Infers the types of one operation. It does nothing else. */
export function operation<Params extends TObject, Query extends TObject, Body extends TObject>(
  declared: Operation<Params, Query, Body>,
): Operation {
  return declared as unknown as Operation;
}

export function data(value: unknown): DataAnswer {
  return { kind: 'data', data: value };
}
