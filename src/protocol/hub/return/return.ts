import { ENVELOPE_SIGNATURES_MAX, THOUGHT_CHARS_MAX } from '../../../bounds.ts';
import type { Choice, HubAnswer } from '../answer.ts';
import { unwrapCustomInput } from '../fit/custom.ts';
import { signedTextKey } from '../fit/signatures.ts';
import { logprobsWithin, StopScanner, stopsHere } from '../fit/stop.ts';
import type { Part, ReasoningPart, TextPart, ToolCallPart } from '../part.ts';
import type { Signature } from '../signature.ts';
import { CallReturn, type ReturnPlan } from './return-call.ts';

/** Converts a vendor's plain answer for the client. The counterpart of `fitRequest`. */
export function returnAnswer(answer: HubAnswer, plan: ReturnPlan): HubAnswer {
  const calls = new CallReturn(plan);
  const choices = answer.choices.map((choice, index) => new ChoiceReturn(plan, calls, index).choice(choice));
  return { ...answer, choices };
}

/**
 * Thinking that is attached to the next call, with its text, which the client may not send back. Not more of
 * it than an envelope holds.
 */
export function withThought(
  thoughts: readonly Signature[],
  signature: Signature,
  text: string,
): readonly Signature[] {
  // Without its whole text the vendor would refuse the signature. Without the signature it only thinks again.
  if (text.length > THOUGHT_CHARS_MAX) return thoughts;
  return [...thoughts, text === '' ? signature : { ...signature, text }].slice(-ENVELOPE_SIGNATURES_MAX);
}

/**
 * Where only thinking could carry the signature of a text, it is stored: an answer that ends with thinking
 * has no answer for some clients. A signature without a text is lost.
 */
export function keepTextSignatures(
  { kept }: ReturnPlan,
  text: string,
  signatures: readonly Signature[],
): void {
  const key = signedTextKey(text);
  if (key !== undefined && signatures.length > 0 && !kept.has(key)) kept.set(key, signatures);
}

class ChoiceReturn {
  readonly #plan: ReturnPlan;
  readonly #calls: CallReturn;
  readonly #index: number;
  readonly #stops: readonly string[];
  readonly #parts: Part[] = [];
  #thoughts: readonly Signature[] = [];
  #callCount = 0;
  #stop: string | undefined;

  constructor(plan: ReturnPlan, calls: CallReturn, index: number) {
    const { request, target } = plan.session;
    this.#plan = plan;
    this.#calls = calls;
    this.#index = index;
    this.#stops = stopsHere(request, target) ? request.stop : [];
  }

  choice(choice: Choice): Choice {
    for (const part of choice.parts) {
      if (part.kind === 'text') this.#text(part);
      else if (part.kind === 'reasoning') this.#reasoning(part);
      else if (part.kind === 'tool-call') this.#call(part);
      else this.#parts.push(part);
      if (this.#stop !== undefined) return this.#stopped(choice, this.#stop);
    }
    return { ...choice, parts: this.#parts };
  }

  #stopped(choice: Choice, stopSequence: string): Choice {
    const text = this.#parts.map((part) => (part.kind === 'text' ? part.text : '')).join('');
    const { logprobs } = choice;
    return {
      parts: this.#parts,
      finish: { reason: 'stop-sequence', stopSequence },
      ...(logprobs === undefined ? {} : { logprobs: logprobsWithin(logprobs, text) }),
    };
  }

  #text(part: TextPart): void {
    this.#thoughts = this.#thoughts.map((signature) => ({ ...signature, beforeText: true }));
    const { signatures = [], ...plain } = part;
    const isCarried = this.#plan.client.carriesReasoning;
    const kept = isCarried ? plain : part;
    const scanned = this.#stops.length === 0 ? undefined : new StopScanner(this.#stops).push(part.text);
    if (scanned?.stop === undefined) {
      if (kept.text !== '' || !isCarried || signatures.length === 0) this.#parts.push(kept);
      const last = this.#parts.at(-1);
      if (isCarried) keepTextSignatures(this.#plan, last?.kind === 'text' ? last.text : '', signatures);
      return;
    }
    this.#stop = scanned.stop;
    const { text } = scanned;
    const citations = part.citations?.filter(({ end = 0 }) => end <= text.length);
    this.#parts.push({ ...kept, text, ...(citations === undefined ? {} : { citations }) });
  }

  #reasoning(part: ReasoningPart): void {
    if (this.#plan.client.carriesReasoning) {
      this.#parts.push(part);
      return;
    }
    if (part.signature !== undefined) this.#thoughts = withThought(this.#thoughts, part.signature, part.text);
    this.#parts.push({ kind: 'reasoning', text: part.text });
  }

  #call(part: ToolCallPart): void {
    const place = { choice: this.#index, index: this.#callCount++, thoughts: this.#thoughts };
    this.#thoughts = [];
    const { call, carried, wrapped } = this.#calls.returnCall(part, place);
    for (const signature of carried) this.#parts.push({ kind: 'reasoning', text: '', signature });
    this.#parts.push(wrapped ? { ...call, arguments: unwrapCustomInput(call.arguments) } : call);
  }
}
