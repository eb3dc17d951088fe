import { BLOBS_WANTED_MAX } from '../../../bounds.ts';
import { type Blob, mayReturn } from '../blob.ts';
import type { Target } from '../codec.ts';
import type { Part, ReasoningPart, ToolCallPart } from '../part.ts';
import type { HubRequest } from '../request.ts';

/**
 * Puts the blobs of an assistant turn back where their issuer had them, wherever the client could carry them
 * (rule C-41). The signature of a call may come as thinking without text before the call, and thinking may be
 * attached to the call after it.
 */
export function settleBlobs(parts: readonly Part[]): readonly Part[] {
  const settled: Part[] = [];
  let carried: Blob[] = [];
  // Where the run of texts at the end of `settled` begins.
  let textsFrom = 0;
  for (const part of parts) {
    if (part.kind === 'tool-call') {
      const blobs = [...(part.blobs ?? []), ...carried];
      carried = [];
      const thoughts = blobs.filter((blob) => blob.place === 'reasoning');
      settled.splice(
        textsFrom,
        0,
        ...thoughts.filter((blob) => blob.beforeText === true).map(toReasoningPart),
      );
      settled.push(...thoughts.filter((blob) => blob.beforeText !== true).map(toReasoningPart));
      settled.push(
        withCallBlobs(
          part,
          blobs.filter((blob) => blob.place === 'call'),
        ),
      );
    } else if (part.kind === 'reasoning' && part.blob?.place === 'call') {
      carried.push(part.blob);
      if (part.text !== '') settled.push({ kind: 'reasoning', text: part.text });
    } else if (part.kind === 'reasoning' && part.blob?.place === 'text') {
      signText(settled, part.blob);
    } else settled.push(part);
    if (part.kind !== 'text') textsFrom = settled.length;
  }
  return settled;
}

/**
 * The signature of a text comes after it. Without a text it belongs to an empty one, as Google itself sends
 * it.
 */
function signText(settled: Part[], blob: Blob): void {
  const last = settled.at(-1);
  const isOpen = last?.kind === 'text' && last.blobs === undefined;
  if (isOpen) settled[settled.length - 1] = { ...last, blobs: [blob] };
  else settled.push({ kind: 'text', text: '', blobs: [blob] });
}

function toReasoningPart({ text, beforeText: _beforeText, ...blob }: Blob): ReasoningPart {
  return { kind: 'reasoning', text: text ?? '', blob };
}

function withCallBlobs(part: ToolCallPart, blobs: readonly Blob[]): ToolCallPart {
  const { blobs: _blobs, ...call } = part;
  return blobs.length === 0 ? call : { ...call, blobs };
}

/** Keeps only blobs that this target issued (rule C-6), and thinking that it needs back. */
export function filterBlobs(parts: readonly Part[], target: Target): readonly Part[] {
  return parts.flatMap((part): readonly Part[] => {
    if (part.kind === 'reasoning') return filterThought(part, target);
    if (part.kind !== 'tool-call' && part.kind !== 'text') return [part];
    if (part.blobs === undefined) return [part];
    const blobs = part.blobs.filter((blob) => mayReturn(blob, target));
    const { blobs: _blobs, ...rest } = part;
    return [blobs.length === 0 ? rest : { ...rest, blobs }];
  });
}

function filterThought(part: ReasoningPart, target: Target): readonly Part[] {
  if (part.blob !== undefined && mayReturn(part.blob, target)) return [part];
  return target.capabilities.reasoningContent && part.text !== ''
    ? [{ kind: 'reasoning', text: part.text }]
    : [];
}

/**
 * The ids of the calls whose blobs the client lost, the newest ones. Vendors demand only those of the current
 * turn, but a history that loses its older ones in each request would miss the vendor's prompt cache.
 */
export function blobsWanted(request: HubRequest): readonly string[] {
  const wanted = request.turns
    .flatMap(({ role, parts }) => (role === 'assistant' ? parts : []))
    .flatMap(lostBy);
  return wanted.slice(-BLOBS_WANTED_MAX);
}

function lostBy(part: Part): readonly string[] {
  const isLost = part.kind === 'tool-call' && part.id !== '' && (part.blobs?.length ?? 0) === 0;
  return isLost ? [part.id] : [];
}

/** The request with stored blobs, by the ids of their calls. */
export function attachBlobs(request: HubRequest, found: ReadonlyMap<string, readonly Blob[]>): HubRequest {
  if (found.size === 0) return request;
  const attach = (part: Part): Part => {
    if (part.kind !== 'tool-call' || (part.blobs?.length ?? 0) > 0) return part;
    const blobs = found.get(part.id);
    return blobs === undefined ? part : { ...part, blobs };
  };
  const turns = request.turns.map((turn) =>
    turn.role === 'assistant' ? { role: turn.role, parts: turn.parts.map(attach) } : turn,
  );
  return { ...request, turns };
}
