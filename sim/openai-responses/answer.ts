import { newHexId } from '../answer/id.ts';
import type { Counts, Plan } from '../answer/plan.ts';
import { earlyUsage, twistUsage, writeJson } from '../answer/usage.ts';
import { type Json, record } from '../request/json.ts';
import { type Item, itemsOf, writeItem } from './items.ts';
import { remember } from './memory.ts';
import { inputItems } from './read.ts';

/** What of the answer a report covers. */
type Said = Pick<Counts, 'output' | 'reasoning'>;

export function plainResponses(plan: Plan): string {
  const items = itemsOf(plan);
  store(plan, items);
  return writeJson(finalResponse(plan, items));
}

export function plainCompaction(plan: Plan): string {
  const asked = inputItems(plan.ask.body).filter(({ role }) => role === 'user');
  return writeJson({
    id: plan.id,
    object: 'response.compaction',
    created_at: plan.createdSeconds,
    output: [
      ...asked.map((item) => ({ ...item, id: `msg_${newHexId(50)}`, type: 'message', status: 'completed' })),
      {
        type: 'compaction',
        id: `cmp_${newHexId(50)}`,
        encrypted_content: Buffer.from(plan.id).toString('base64url'),
      },
    ],
    usage: twistUsage(plan.directive.usage, usageOf(plan)),
  });
}

export function finalStatus(plan: Plan): 'completed' | 'incomplete' {
  return plan.finish === 'length' || plan.finish === 'filter' ? 'incomplete' : 'completed';
}

/** Without `store: false` the response can be continued by its id. */
export function store(plan: Plan, items: readonly Item[]): void {
  if (plan.ask.body.store === false) return;
  const written = items.map((item) => writeItem(item, 'completed') as Json);
  remember(plan.id, [...inputItems(plan.ask.body), ...written]);
}

export function finalResponse(plan: Plan, items: readonly Item[]): object {
  const status = finalStatus(plan);
  const output = items.map((item, index) =>
    writeItem(item, index === items.length - 1 ? status : 'completed'),
  );
  return responseObject(plan, {
    status,
    completed_at: status === 'completed' ? plan.createdSeconds + 1 : null,
    incomplete_details: incompleteDetails(plan),
    output,
    usage: twistUsage(plan.directive.usage, usageOf(plan)),
  });
}

export function openingResponse(plan: Plan): object {
  const { usage: variant } = plan.directive;
  const isEarly = variant === 'repeated' || variant === 'corrected';
  const early = isEarly ? earlyUsage(variant, usageOf(plan, { output: 0, reasoning: 0 })) : null;
  return responseObject(plan, { status: 'in_progress', output: [], usage: early });
}

export function responseObject(plan: Plan, changes: Json): object {
  const { body, model } = plan.ask;
  const reasoning = record(body.reasoning);
  const text = record(body.text);
  return {
    id: plan.id,
    object: 'response',
    created_at: plan.createdSeconds,
    status: 'in_progress',
    background: body.background ?? false,
    completed_at: null,
    error: null,
    frequency_penalty: 0,
    incomplete_details: null,
    instructions: body.instructions ?? null,
    max_output_tokens: body.max_output_tokens ?? null,
    max_tool_calls: body.max_tool_calls ?? null,
    model: model.snapshot,
    output: [],
    parallel_tool_calls: body.parallel_tool_calls ?? true,
    presence_penalty: 0,
    previous_response_id: body.previous_response_id ?? null,
    prompt_cache_key: body.prompt_cache_key ?? null,
    prompt_cache_retention: body.prompt_cache_retention ?? null,
    reasoning: { effort: reasoning.effort ?? null, summary: reasoning.summary ?? null },
    safety_identifier: body.safety_identifier ?? null,
    service_tier: 'default',
    store: body.store ?? true,
    temperature: body.temperature ?? 1,
    text: { format: text.format ?? { type: 'text' }, verbosity: text.verbosity ?? 'medium' },
    tool_choice: body.tool_choice ?? 'auto',
    tools: body.tools ?? [],
    top_logprobs: body.top_logprobs ?? 0,
    top_p: body.top_p ?? 1,
    truncation: body.truncation ?? 'disabled',
    usage: null,
    user: body.user ?? null,
    metadata: body.metadata ?? {},
    ...changes,
  };
}

function incompleteDetails(plan: Plan): object | null {
  if (plan.finish === 'length') return { reason: 'max_output_tokens' };
  return plan.finish === 'filter' ? { reason: 'content_filter' } : null;
}

export function usageOf(plan: Plan, said: Said = plan.counts): object {
  const { input, cacheRead, cacheWrite } = plan.counts;
  const { output, reasoning } = said;
  return {
    input_tokens: input,
    input_tokens_details: {
      cached_tokens: cacheRead,
      ...(cacheWrite > 0 ? { cache_write_tokens: cacheWrite } : {}),
    },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: reasoning },
    total_tokens: input + output,
  };
}
