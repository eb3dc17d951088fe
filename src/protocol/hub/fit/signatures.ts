import { SIGNATURES_WANTED_MAX, THOUGHT_CHARS_MAX } from '../../../bounds.ts';
import { sha256Hex } from '../../../kernel/encoding/hash.ts';
import type { Target } from '../codec.ts';
import type { Part, ReasoningPart, ToolCallPart } from '../part.ts';
import type { HubRequest } from '../request.ts';
import { mayReturn, type Signature } from '../signature.ts';

/**
 * Puts the signatures of an assistant turn back where their issuer had them, wherever the client could carry
 * them (rule C-41). The signature of a call may come as thinking without text before the call, and thinking
 * may be attached to the call after it.
 */
export function settleSignatures(parts: readonly Part[]): readonly Part[] {
  const settled: Part[] = [];
  let carried: Signature[] = [];
  // Where the run of texts at the end of `settled` begins.
  let textsFrom = 0;
  for (const part of parts) {
    if (part.kind === 'tool-call') {
      const signatures = [...(part.signatures ?? []), ...carried];
      carried = [];
      const thoughts = signatures.filter((signature) => signature.place === 'reasoning');
      settled.splice(
        textsFrom,
        0,
        ...thoughts.filter((signature) => signature.beforeText === true).map(toReasoningPart),
      );
      settled.push(...thoughts.filter((signature) => signature.beforeText !== true).map(toReasoningPart));
      settled.push(
        withCallSignatures(
          part,
          signatures.filter((signature) => signature.place === 'call'),
        ),
      );
    } else if (part.kind === 'reasoning' && part.signature?.place === 'call') {
      carried.push(part.signature);
      if (part.text !== '') settled.push({ kind: 'reasoning', text: part.text });
    } else if (part.kind === 'reasoning' && part.signature?.place === 'text') {
      signText(settled, part.signature);
    } else settled.push(part);
    if (part.kind !== 'text') textsFrom = settled.length;
  }
  return settled;
}

/**
 * The signature of a text comes after it. Without a text it belongs to an empty one, as Google itself sends
 * it.
 */
function signText(settled: Part[], signature: Signature): void {
  const last = settled.at(-1);
  const isOpen = last?.kind === 'text' && last.signatures === undefined;
  if (isOpen) settled[settled.length - 1] = { ...last, signatures: [signature] };
  else settled.push({ kind: 'text', text: '', signatures: [signature] });
}

function toReasoningPart({ text, beforeText: _beforeText, ...signature }: Signature): ReasoningPart {
  return { kind: 'reasoning', text: text ?? '', signature };
}

function withCallSignatures(part: ToolCallPart, signatures: readonly Signature[]): ToolCallPart {
  const { signatures: _signatures, ...call } = part;
  return signatures.length === 0 ? call : { ...call, signatures };
}

/** Keeps only signatures that this target issued (rule C-6), and thinking that it needs back. */
export function filterSignatures(parts: readonly Part[], target: Target): readonly Part[] {
  return parts.flatMap((part): readonly Part[] => {
    if (part.kind === 'reasoning') return filterThought(part, target);
    if (part.kind !== 'tool-call' && part.kind !== 'text') return [part];
    if (part.signatures === undefined) return [part];
    const signatures = part.signatures.filter((signature) => mayReturn(signature, target));
    const { signatures: _signatures, ...rest } = part;
    return [signatures.length === 0 ? rest : { ...rest, signatures }];
  });
}

function filterThought(part: ReasoningPart, target: Target): readonly Part[] {
  if (part.signature !== undefined && mayReturn(part.signature, target)) return [part];
  return target.capabilities.reasoningContent && part.text !== ''
    ? [{ kind: 'reasoning', text: part.text }]
    : [];
}

/**
 * The ids of the calls whose signatures the client lost, the newest ones. Vendors demand only those of the
 * current turn, but a history that loses its older ones in each request would miss the vendor's prompt cache.
 */
export function signaturesWanted(request: HubRequest): readonly string[] {
  const wanted = request.turns
    .flatMap(({ role, parts }) => (role === 'assistant' ? parts : []))
    .flatMap(lostBy);
  return wanted.slice(-SIGNATURES_WANTED_MAX);
}

function lostBy(part: Part): readonly string[] {
  const isLost = part.kind === 'tool-call' && part.id !== '' && (part.signatures?.length ?? 0) === 0;
  return isLost ? [part.id] : [];
}

export const SIGNED_TEXT = 'text:';

/**
 * The key under which the signature of a text is stored: what the client sends back of it is the text.
 * Undefined for a text that says nothing, and for one that is too long to be compared.
 */
export function signedTextKey(text: string): string | undefined {
  const said = text.trim();
  return said === '' || text.length > THOUGHT_CHARS_MAX ? undefined : `${SIGNED_TEXT}${sha256Hex(said)}`;
}

/** The keys of the texts whose signatures the client cannot carry, of the newest ones. */
export function signedTextsWanted(request: HubRequest): readonly string[] {
  const texts = request.turns
    .flatMap(({ role, parts }) => (role === 'assistant' ? parts : []))
    .filter((part) => part.kind === 'text' && part.signatures === undefined);
  return texts.slice(-SIGNATURES_WANTED_MAX).flatMap((part) => keyOfText(part) ?? []);
}

function keyOfText(part: Part): string | undefined {
  return part.kind === 'text' && part.signatures === undefined ? signedTextKey(part.text) : undefined;
}

/** The request with stored signatures, by the keys of their texts. */
export function attachTextSignatures(
  request: HubRequest,
  found: ReadonlyMap<string, readonly Signature[]>,
): HubRequest {
  return mapAnswers(request, (part) => {
    const signatures = found.get(keyOfText(part) ?? '');
    return signatures === undefined || part.kind !== 'text' ? part : { ...part, signatures };
  });
}

/** The request with stored signatures, by the ids of their calls. */
export function attachSignatures(
  request: HubRequest,
  found: ReadonlyMap<string, readonly Signature[]>,
): HubRequest {
  return mapAnswers(request, (part) => {
    if (part.kind !== 'tool-call' || (part.signatures?.length ?? 0) > 0) return part;
    const signatures = found.get(part.id);
    return signatures === undefined ? part : { ...part, signatures };
  });
}

function mapAnswers(request: HubRequest, change: (part: Part) => Part): HubRequest {
  const turns = request.turns.map((turn) =>
    turn.role === 'assistant' ? { role: turn.role, parts: turn.parts.map(change) } : turn,
  );
  return { ...request, turns };
}
