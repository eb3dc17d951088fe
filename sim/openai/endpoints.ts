import type { VendorRequest } from '../dialect.ts';
import { listModels } from '../models.ts';
import type { Reply } from '../request/ask.ts';
import { openaiError, openaiHeaders } from './error.ts';

const CREATED_SECONDS = 1_785_542_400;

export function openaiModels(): Reply {
  const data = listModels('openai').map(({ name }) => ({
    id: name,
    object: 'model',
    created: CREATED_SECONDS,
    owned_by: 'system',
  }));
  return {
    kind: 'reply',
    status: 200,
    headers: openaiHeaders(),
    body: JSON.stringify({ object: 'list', data }),
  };
}

export function openaiNotFound(method: string): (request: VendorRequest) => Reply {
  return (request) => openaiError(404, { message: `Invalid URL (${method} ${request.path})` });
}
