import { RESPONSES_STORED_MAX } from '../bounds.ts';
import type { Json } from '../request/json.ts';

/** Responses that were stored: `previous_response_id` puts their items in front of the new input. */
const stored = new Map<string, readonly Json[]>();

export function remember(id: string, items: readonly Json[]): void {
  stored.set(id, items);
  if (stored.size <= RESPONSES_STORED_MAX) return;
  for (const oldest of stored.keys()) {
    stored.delete(oldest);
    break;
  }
}

export function recall(id: string): readonly Json[] | undefined {
  return stored.get(id);
}
