import { ENDPOINT_ROWS } from '../../src/gateway/endpoints/contract.ts';

/** `POST /v1/chat/completions`, …: everything that the gateway serves and documents. */
export function gatewayPaths(): readonly string[] {
  return ENDPOINT_ROWS.flatMap(([, { method, path, document }]) =>
    document === undefined ? [] : [`${method} ${path}`],
  );
}
