import type { Logprob } from '../../hub/answer.ts';
import type { Session } from '../../hub/codec.ts';
import type { JsonObject, JsonValue } from '../../hub/content/json.ts';
import { wrapSignatures } from '../../hub/envelope.ts';
import type { Citation, SearchMade } from '../../hub/part.ts';
import type { Signature } from '../../hub/signature.ts';
import { encodeLogprob } from '../logprobs.ts';
import type { TypedTool } from '../typed-tools.ts';

/** Items of the output, in plain answers and at the end of each streamed item. */
export type ItemStatus = 'in_progress' | 'completed' | 'incomplete';

/** Stable and unique: made from the call and the place in the output. */
export function itemId(prefix: string, session: Session, index: number): string {
  return `${prefix}_${session.callId}_${index}`;
}

export function messageItem(id: string, content: readonly JsonValue[], status: ItemStatus): JsonObject {
  return { id, type: 'message', status, role: 'assistant', content };
}

export interface AnswerText {
  readonly text: string;
  readonly citations?: readonly Citation[] | undefined;
  readonly logprobs?: readonly Logprob[] | undefined;
}

export function textContent(answer: AnswerText): JsonObject {
  const annotations = (answer.citations ?? []).map((citation) => annotation(citation, answer.text.length));
  const logprobs = (answer.logprobs ?? []).map(encodeLogprob);
  return { type: 'output_text', annotations, logprobs, text: answer.text };
}

/** A citation without a range covers the whole text (rule C-67). */
export function annotation(citation: Citation, length: number): JsonObject {
  return {
    type: 'url_citation',
    url: citation.url,
    title: citation.title ?? '',
    start_index: citation.start ?? 0,
    end_index: citation.end ?? length,
  };
}

export function refusalContent(text: string): JsonObject {
  return { type: 'refusal', refusal: text };
}

export function reasoningItem(id: string, text: string, encrypted: string | undefined): JsonObject {
  const summary = text === '' ? [] : [{ type: 'summary_text', text }];
  return {
    id,
    type: 'reasoning',
    summary,
    ...(encrypted === undefined ? {} : { encrypted_content: encrypted }),
  };
}

/**
 * A signature of this protocol's own vendor is sent unchanged, on an item with its id. Any other signature is
 * in our envelope, and so is one that arrived too late to have the item's id.
 */
export function sealSignature(signature: Signature, session: Session, id: string): string {
  const isBare = isNative(signature, session) && (signature.itemId === undefined || signature.itemId === id);
  return isBare ? signature.value : wrapSignatures([signature]);
}

export function isNative(signature: Signature, session: Session): boolean {
  return session.target.protocol === 'responses' && signature.form === 'encrypted';
}

export interface CallHead {
  readonly id: string;
  readonly name: string;
  readonly namespace?: string | undefined;
  readonly custom: boolean;
}

export function callPrefix(head: CallHead, typed: TypedTool | undefined): string {
  if (typed !== undefined) return typed.idPrefix;
  return head.custom ? 'ctc' : 'fc';
}

export interface Call {
  readonly id: string;
  readonly head: CallHead;
  readonly text: string;
  readonly typed: TypedTool | undefined;
}

export function callItem(call: Call, status: ItemStatus): JsonObject {
  const { id, head, text, typed } = call;
  if (typed !== undefined) {
    return { id, type: `${typed.type}_call`, status, call_id: head.id, ...typed.callFields(text) };
  }
  const shared = {
    call_id: head.id,
    name: head.name,
    ...(head.namespace === undefined ? {} : { namespace: head.namespace }),
  };
  return head.custom
    ? { id, type: 'custom_tool_call', status, ...shared, input: text }
    : { id, type: 'function_call', status, ...shared, arguments: text };
}

export function imageItem(id: string, mime: string, base64: string): JsonObject {
  const output_format = mime.slice(mime.indexOf('/') + 1);
  return { id, type: 'image_generation_call', status: 'completed', output_format, result: base64 };
}

/** A search of another protocol's vendor. */
export function searchItem(id: string, { queries, pages }: SearchMade): JsonObject {
  const sources = pages.length === 0 ? undefined : pages.map(({ url }) => ({ type: 'url', url }));
  const action = { type: 'search', query: queries.join(', '), queries, sources };
  return { id, type: 'web_search_call', status: 'completed', action };
}
