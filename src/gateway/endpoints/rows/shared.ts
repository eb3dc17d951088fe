/** What documents of many endpoints say. */
export const MODEL = { type: 'string', description: 'A `model_id` of the catalogue.' };
export const STREAM = { type: 'boolean', description: 'Stream the answer as events.' };
export const TURNS = {
  type: 'array',
  items: { type: 'object' },
  description: 'The conversation so far.',
};
export const MESSAGE = { role: 'user', content: 'Hello' };
export const FREE =
  'Free of charge. The vendor counts; if it cannot, the gateway estimates (`x-tollgate-estimated`).';
export const KEPT = 'Responses are stored for `TOLLGATE_CONVERSATION_DAYS`.';
export const PREFIXES = 'Also below `/v1/v1beta` and `/v1alpha`, which clients of Google use.';

/** A page of what an account has, in OpenAI's form. */
export function pageOf(name: string): Readonly<Record<'limit' | 'after' | 'order', string>> {
  return {
    limit: `Number of ${name}: 20 if it is absent, and 100 at most.`,
    after: 'The `last_id` of the page before.',
    order: '`asc` or `desc`, by the time of creation.',
  };
}
