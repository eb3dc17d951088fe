import { callApi } from '../../api/api.ts';

/** The playground calls the gateway as any program does: with a key, never with the login. */

interface Key {
  /** In memory only: no storage, address, snippet or text of the page ever has it. */
  readonly secret: string;
}

/** The server ends it after an hour, and with the login. */
const KEY_MS = 55 * 60_000;
let key: Promise<Key> | undefined;
let renewAt = 0;

async function makeKey(): Promise<Key> {
  const { data } = await callApi('createPlaygroundKey', {});
  return { secret: data.secret };
}

/** All lanes share one. A key that could not be made is asked for again. */
function playgroundKey(): Promise<Key> {
  if (key !== undefined && Date.now() < renewAt) return key;
  renewAt = Date.now() + KEY_MS;
  const made = makeKey();
  key = made;
  made.catch(() => {
    if (key === made) key = undefined;
  });
  return made;
}

export function forgetKey(): void {
  key = undefined;
}

export interface GatewayRequest {
  readonly path: string;
  /** An object is sent as JSON; a form as it is. */
  readonly body: object | FormData;
  readonly signal: AbortSignal;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** A key that was revoked meanwhile, with its session for example, is made anew once. */
export async function callGateway(request: GatewayRequest): Promise<Response> {
  const used = playgroundKey();
  const response = await send(request, await used);
  if (response.status !== 401) return response;
  if (key === used) forgetKey();
  return send(request, await playgroundKey());
}

async function send({ path, body, signal, headers }: GatewayRequest, { secret }: Key): Promise<Response> {
  const isForm = body instanceof FormData;
  return fetch(path, {
    method: 'POST',
    headers: {
      ...headers,
      ...(isForm ? {} : { 'content-type': 'application/json' }),
      authorization: `Bearer ${secret}`,
    },
    body: isForm ? body : JSON.stringify(body),
    signal,
    credentials: 'omit',
    cache: 'no-store',
  });
}
