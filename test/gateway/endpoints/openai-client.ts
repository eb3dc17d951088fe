import OpenAI, { APIError } from 'openai';
import { expect } from 'vitest';

/** The official client, which tries nothing twice. */
export function clientOf(url: string, apiKey: string): OpenAI {
  return new OpenAI({ baseURL: `${url}/v1`, apiKey, maxRetries: 0 });
}

/** The error that a call must end with. */
export async function failureOf(call: Promise<unknown>): Promise<APIError> {
  const error = await call.then(
    () => expect.unreachable('the call succeeded'),
    (reason: unknown) => reason,
  );
  if (!(error instanceof APIError)) throw error;
  return error;
}
