import type { VendorRequest } from '../dialect.ts';
import { listModels } from '../models.ts';
import type { Reply } from '../request/ask.ts';
import { examineMessages } from './dialect.ts';
import { anthropicError, anthropicHeaders } from './error.ts';
import { messagesInputTokens } from './read.ts';

export function anthropicCount(request: VendorRequest): Reply {
  const examined = examineMessages(request, 'count');
  if ('kind' in examined) return examined;
  return answer({ input_tokens: messagesInputTokens(examined.body) });
}

export function anthropicModels(): Reply {
  const data = listModels('anthropic').map(({ name }) => ({
    type: 'model',
    id: name,
    display_name: name,
    created_at: '2026-08-01T00:00:00Z',
  }));
  return answer({ data, has_more: false, first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null });
}

export function anthropicNotFound(): Reply {
  return anthropicError(404, 'Not found');
}

function answer(body: object): Reply {
  return { kind: 'reply', status: 200, headers: anthropicHeaders(), body: JSON.stringify(body) };
}
