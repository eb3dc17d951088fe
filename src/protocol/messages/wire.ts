/** Schemas and inputs keep their spelling when a body is parsed (rule C-4). */
export const MESSAGES_RAW_KEYS: ReadonlySet<string> = new Set(['input_schema', 'input', 'schema']);

export type StopReason =
  | 'end_turn'
  | 'stop_sequence'
  | 'tool_use'
  | 'max_tokens'
  | 'model_context_window_exceeded'
  | 'refusal'
  | 'pause_turn';

/** The four figures are always present; the rest only if known. */
export interface WireUsage {
  readonly input_tokens: number;
  readonly cache_creation_input_tokens: number;
  readonly cache_read_input_tokens: number;
  readonly cache_creation: {
    readonly ephemeral_5m_input_tokens: number;
    readonly ephemeral_1h_input_tokens: number;
  };
  readonly output_tokens: number;
  readonly output_tokens_details?: { readonly thinking_tokens: number } | undefined;
  readonly service_tier?: string | undefined;
}

/** Image types that the vendor reads. It refuses all others. */
export const PICTURE_TYPES: readonly string[] = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'];

/** Blocks of tools that ran at the vendor. All result types have the same suffix. */
const SERVER_BLOCK = /^(server_tool_use|mcp_tool_use|[a-z0-9_]+_tool_result)$/;

export function isServerBlock(type: string): boolean {
  return SERVER_BLOCK.test(type);
}

/** The vendor's names of HTTP statuses (rule C-69); 529 is its own. */
export const ERROR_STATUS: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  authentication_error: 401,
  billing_error: 402,
  permission_error: 403,
  not_found_error: 404,
  conflict_error: 409,
  request_too_large: 413,
  rate_limit_error: 429,
  api_error: 500,
  timeout_error: 504,
  overloaded_error: 529,
};

export const ERROR_TYPE: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  409: 'conflict_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  503: 'overloaded_error',
  504: 'timeout_error',
  529: 'overloaded_error',
};
