import {
  type UseQueryOptions,
  type UseQueryResult,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { createStore } from '../app/store.ts';
import { addressOf, createClient, type Operations } from './client.gen.ts';

export type OperationName = keyof Operations;
export type Input<Name extends OperationName> = Operations[Name]['input'];
export type Output<Name extends OperationName> = Operations[Name]['output'];
/** What an operation answers in `data`. */
export type Data<Name extends OperationName> =
  Output<Name> extends { readonly data: infer Value } ? Value : never;
/** One row of an operation that answers a page. */
export type Row<Name extends OperationName> = Data<Name> extends readonly (infer Value)[] ? Value : never;

const CSRF_COOKIE = 'tollgate_csrf';

/** The only cookie that scripts can read. It proves that a write comes from this page. */
function readCsrf(): string {
  const part = document.cookie.split('; ').find((each) => each.startsWith(`${CSRF_COOKIE}=`));
  return part?.slice(CSRF_COOKIE.length + 1) ?? '';
}

/** Whether the server answers. After a request without an answer it is asked until it does. */
export const connection = createStore<'up' | 'no-answer' | 'unavailable'>('up');
/** The session was ended elsewhere or has expired, while its pages are open. */
export const sessionEnded = createStore(false);

/** Names the session without revealing it: a new one has another mark. */
export function sessionMark(): string {
  return readCsrf();
}

let wasSignedIn = false;

/**
 * The session of the mark has ended. A late answer to an earlier session says nothing about this one. An
 * expired session has no cookie any more, and so no mark: the page remembers that there was one.
 */
export function endSession(mark: string): void {
  const now = sessionMark();
  if (now === '' ? wasSignedIn : now === mark) sessionEnded.write(true);
}

/** Whether this browser was signed in: a session has a second cookie that scripts can read. */
export function hasSession(): boolean {
  return readCsrf() !== '';
}

const client = createClient({
  url: '',
  // A deletion is sent also by a page that is being left.
  fetch: (address, given) => fetch(address, { ...given, keepalive: given?.method === 'DELETE' }),
  headers: () => ({ 'x-csrf-token': readCsrf() }),
});

/** A refusal of the server, or no answer at all (`status` 0). */
export class ApiError extends Error {
  readonly status: number;
  readonly code: number;
  readonly requestId: string;
  readonly retryAfterMs: number | undefined;

  constructor(given: {
    readonly status: number;
    readonly code: number;
    readonly message: string;
    readonly requestId: string;
    readonly retryAfterMs?: number | undefined;
  }) {
    super(given.message);
    this.name = 'ApiError';
    this.status = given.status;
    this.code = given.code;
    this.requestId = given.requestId;
    this.retryAfterMs = given.retryAfterMs;
  }

  /** Worth another try without a change: the server or the way to it is down. */
  get isPassing(): boolean {
    return this.status === 0 || this.status === 502 || this.status === 503 || this.status === 504;
  }

  get isNotLoggedIn(): boolean {
    return this.code === 1002;
  }
}

/** Calls one operation. Throws an ApiError. */
export async function callApi<Name extends OperationName>(
  name: Name,
  input: Input<Name>,
): Promise<Output<Name>> {
  const mark = sessionMark();
  const error = await client(name, input).then(
    (result) => (result.ok ? result : new ApiError(result)),
    () => new ApiError({ status: 0, code: 0, message: '', requestId: '' }),
  );
  wasSignedIn ||= mark !== '';
  if (!(error instanceof ApiError)) return error;
  // One answer is not enough to be `up` again: not all operations need the database.
  if (error.isPassing) connection.write(error.status === 0 ? 'no-answer' : 'unavailable');
  // The sign-in itself answers 1002 for a wrong password; there is no session to have ended then.
  if (error.isNotLoggedIn && name !== 'logIn') endSession(mark);
  throw error;
}

/** The address of a file, for a link. */
export function fileAddress<Name extends OperationName>(name: Name, input: Input<Name>): string {
  return addressOf(name, input);
}

export function queryKey<Name extends OperationName>(name: Name, input: Input<Name>): readonly unknown[] {
  return [name, input];
}

type Options<Value, Selected> = Omit<UseQueryOptions<Value, ApiError, Selected>, 'queryKey' | 'queryFn'>;

/** What an operation answers, kept and refreshed. Pages read with this and with nothing else. */
export function useApi<Name extends OperationName, Selected = Output<Name>>(
  name: Name,
  input: Input<Name>,
  options: Options<Output<Name>, Selected> = {},
): UseQueryResult<Selected, ApiError> {
  return useQuery({ ...options, queryKey: queryKey(name, input), queryFn: () => callApi(name, input) });
}

/** A write. `refreshes` names the operations whose answers it changes; those are read again first. */
export function useApiWrite<Name extends OperationName>(name: Name, refreshes: readonly OperationName[]) {
  const queries = useQueryClient();
  return useMutation<Output<Name>, ApiError, Input<Name>>({
    mutationFn: (input) => callApi(name, input),
    onSuccess: () => Promise.all(refreshes.map((each) => queries.invalidateQueries({ queryKey: [each] }))),
  });
}
