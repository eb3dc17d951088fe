import { newHexId } from '../answer/id.ts';
import type { Part, Plan, ToolPart } from '../answer/plan.ts';
import { sign, verify } from '../answer/sign.ts';
import { strings } from '../request/json.ts';

/** An item of the output as it is in the end; the stream builds up to it. */
export type Item =
  | {
      readonly kind: 'reasoning';
      readonly id: string;
      readonly tokens: readonly string[];
      readonly shown: 'hidden' | 'shown';
      readonly encrypted: string | undefined;
    }
  | { readonly kind: 'message'; readonly id: string; readonly part: Part & { kind: 'text' | 'refusal' } }
  | { readonly kind: 'call'; readonly id: string; readonly part: ToolPart };

const ID_LENGTH = 48;

export function itemsOf(plan: Plan): readonly Item[] {
  const items: Item[] = [];
  if (plan.reasoning.length > 0) {
    const id = `rs_${newHexId(ID_LENGTH)}`;
    const wanted = strings(plan.ask.body.include).includes('reasoning.encrypted_content');
    items.push({
      kind: 'reasoning',
      id,
      tokens: plan.reasoning,
      shown: plan.ask.thoughts,
      encrypted: wanted ? encrypt(id, plan.ask.key) : undefined,
    });
  }
  for (const part of plan.parts) {
    if (part.kind !== 'tool') items.push({ kind: 'message', id: `msg_${newHexId(ID_LENGTH)}`, part });
    else {
      const prefix = part.tool.kind === 'custom' ? 'ctc' : 'fc';
      items.push({ kind: 'call', id: `${prefix}_${newHexId(ID_LENGTH)}`, part });
    }
  }
  return items;
}

/** Encrypted reasoning is bound to the item and to whoever asked. */
export function encrypt(itemId: string, key: string): string {
  return `gAAAA${sign(`${itemId} ${key}`).toString('base64url')}.${itemId}`;
}

/** Some clients leave the id out; then the one inside counts. An id that is given must be the same. */
export function isOwnReasoning(sealed: string, itemId: unknown, key: string): boolean {
  const [written = '', sealedId = ''] = sealed.replace(/^gAAAA/, '').split('.');
  if (itemId !== undefined && itemId !== null && itemId !== sealedId) return false;
  return verify(Buffer.from(written, 'base64url'), `${sealedId} ${key}`) === 'genuine';
}

export type ItemStatus = 'in_progress' | 'completed' | 'incomplete';

/** The item as JSON, with what it has said so far. */
export function writeItem(item: Item, status: ItemStatus): Readonly<Record<string, unknown>> {
  const done = status !== 'in_progress';
  if (item.kind === 'reasoning') {
    const summary =
      done && item.shown === 'shown' ? [{ type: 'summary_text', text: item.tokens.join('') }] : [];
    const encrypted = item.encrypted === undefined ? {} : { encrypted_content: item.encrypted };
    return { id: item.id, type: 'reasoning', ...encrypted, summary };
  }
  if (item.kind === 'message') {
    const content = done ? [writePart(item.part, item.part.tokens.join(''))] : [];
    return { id: item.id, type: 'message', status, content, role: 'assistant' };
  }
  const said = done ? item.part.tokens.join('') : '';
  const { name, namespace } = item.part.tool;
  const place = namespace === undefined ? {} : { namespace };
  const shared = { id: item.id, status, call_id: `call_${item.part.id}`, name, ...place };
  return item.part.tool.kind === 'custom'
    ? { type: 'custom_tool_call', ...shared, input: said }
    : { type: 'function_call', ...shared, arguments: said };
}

export function writePart(part: Part & { kind: 'text' | 'refusal' }, said: string): object {
  if (part.kind === 'refusal') return { type: 'refusal', refusal: said };
  return { type: 'output_text', annotations: [], logprobs: [], text: said };
}
