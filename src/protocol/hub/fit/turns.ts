import { isMedia, type Part, type TextPart } from '../part.ts';
import type { HubRequest, Turn } from '../request.ts';

/** Inserted where a protocol needs a user turn and the client sent none. */
const CONTINUE: Turn = { role: 'user', parts: [{ kind: 'text', text: 'Continue.' }] };

/** Every part of a conversation, including those inside results. */
export function everyPart({ system, turns }: Pick<HubRequest, 'system' | 'turns'>): readonly Part[] {
  const outer = turns.flatMap(({ parts }) => parts);
  const inner = outer.flatMap((part) => (part.kind === 'tool-result' ? part.parts : []));
  return [...system, ...outer, ...inner];
}

/** Removes turns without parts and merges consecutive turns of one role (rule C-14). */
export function mergeTurns(turns: readonly Turn[]): readonly Turn[] {
  const merged: { role: Turn['role']; parts: Part[] }[] = [];
  for (const { role, parts } of turns) {
    if (parts.length === 0) continue;
    const last = merged.at(-1);
    if (last?.role === role) for (const part of parts) last.parts.push(part);
    else merged.push({ role, parts: [...parts] });
  }
  return merged;
}

/**
 * Calls and thoughts belong to the assistant and results to the user, whatever turn they are in. Google's
 * SDKs write a call and its result into one turn, of either role. Such a turn is split in its order.
 */
export function splitTurns(turns: readonly Turn[]): readonly Turn[] {
  const isWhole = turns.every(({ role, parts }) => parts.every((part) => chooseRole(part, role) === role));
  if (isWhole) return turns;
  return turns.flatMap(({ role, parts }) =>
    callsFirst(parts).map((part): Turn => ({ role: chooseRole(part, role), parts: [part] })),
  );
}

/** Within one turn, a result before its own call is moved after it. */
function callsFirst(parts: readonly Part[]): readonly Part[] {
  const places = new Map(parts.map((part, at) => [part.kind === 'tool-call' ? part.id : '', at]));
  const early = new Map<number, Part[]>();
  return parts
    .map((part, at): readonly Part[] => {
      const callAt = part.kind === 'tool-result' && part.callId !== '' ? places.get(part.callId) : undefined;
      if (callAt === undefined || callAt < at) return [part];
      early.set(callAt, [...(early.get(callAt) ?? []), part]);
      return [];
    })
    .flatMap((kept, at) => [...kept, ...(early.get(at) ?? [])]);
}

function chooseRole({ kind }: Part, role: Turn['role']): Turn['role'] {
  if (kind === 'tool-result') return 'user';
  return kind === 'tool-call' || kind === 'reasoning' || kind === 'server-tool' ? 'assistant' : role;
}

/** For targets whose conversations begin with the user. */
export function startWithUser(turns: readonly Turn[]): readonly Turn[] {
  return turns[0]?.role === 'user' ? turns : [CONTINUE, ...turns];
}

/** The same. If there are no turns at all, the system text becomes the user's. */
export function startRequestWithUser(request: HubRequest): HubRequest {
  const { system, turns } = request;
  if (turns.length > 0 || system.length === 0) return { ...request, turns: startWithUser(turns) };
  return { ...request, system: [], turns: [{ role: 'user', parts: system }] };
}

/**
 * For targets that accept no beginning of the answer: removes assistant turns at the end that contain only
 * text. One with a call or a signed thought must not be lost; after it a user turn asks to continue.
 */
export function withoutPrefill(turns: readonly Turn[]): readonly Turn[] {
  let end = turns.length;
  while (end > 0 && isPlainAnswer(turns[end - 1])) end--;
  const kept = end === turns.length ? turns : turns.slice(0, end);
  return kept.at(-1)?.role === 'assistant' ? [...kept, CONTINUE] : kept;
}

/** Whether `withoutPrefill` would remove something. */
export function endsWithPrefill(turns: readonly Turn[]): boolean {
  return isPlainAnswer(turns.at(-1));
}

function isPlainAnswer(turn: Turn | undefined): boolean {
  return turn?.role === 'assistant' && turn.parts.every(isUnsignedWords);
}

function isUnsignedWords(part: Part): boolean {
  if (part.kind === 'text') return (part.signatures?.length ?? 0) === 0;
  return part.kind === 'refusal' || (part.kind === 'reasoning' && part.signature === undefined);
}

/**
 * For targets whose assistant turns contain only text: media that a model made earlier are result to it in a
 * user turn, after the results of tools.
 */
export function withMediaInUserTurns(turns: readonly Turn[]): readonly Turn[] {
  if (!turns.some((turn) => turn.role === 'assistant' && turn.parts.some(isMedia))) return turns;
  const result: Turn[] = [];
  let pending: readonly Part[] = [];
  for (const turn of turns) {
    if (turn.role === 'assistant') {
      pending = [...pending, ...turn.parts.filter(isMedia)];
      result.push({ role: turn.role, parts: turn.parts.filter((part) => !isMedia(part)) });
    } else if (turn.role === 'user') {
      const results = turn.parts.filter(({ kind }) => kind === 'tool-result');
      const others = turn.parts.filter(({ kind }) => kind !== 'tool-result');
      result.push({ role: turn.role, parts: [...results, ...pending, ...others] });
      pending = [];
    } else result.push(turn);
  }
  if (pending.length > 0) result.push({ role: 'user', parts: pending });
  return mergeTurns(result);
}

/** For targets that refuse empty text (Google). Signed text stays, even if it is empty. */
export function withoutEmptyText(turns: readonly Turn[]): readonly Turn[] {
  return filterText(turns, (part) => part.text !== '');
}

/** For targets that refuse text of only blanks (Messages). */
export function withoutBlankText(turns: readonly Turn[]): readonly Turn[] {
  return filterText(turns, (part) => part.text.trim() !== '');
}

function filterText(turns: readonly Turn[], keeps: (part: TextPart) => boolean): readonly Turn[] {
  return mergeTurns(turns.map(({ role, parts }) => ({ role, parts: filterParts(parts, keeps) })));
}

function filterParts(parts: readonly Part[], keeps: (part: TextPart) => boolean): readonly Part[] {
  return parts
    .filter((part) => part.kind !== 'text' || (part.signatures?.length ?? 0) > 0 || keeps(part))
    .map((part) => (part.kind === 'tool-result' ? { ...part, parts: filterParts(part.parts, keeps) } : part));
}

/**
 * For targets without system turns in mid-conversation: their text joins the neighbouring user turn, in the
 * envelope that models know (rule C-12). Results of tools stay first in their turn.
 */
export function inlineSystemTurns(turns: readonly Turn[]): readonly Turn[] {
  if (!turns.some((turn) => turn.role === 'system')) return turns;
  return mergeTurns(turns.map((turn) => (turn.role === 'system' ? inlineSystemTurn(turn) : turn)));
}

/** One system turn as a user turn. */
export function inlineSystemTurn(turn: Turn): Turn {
  const parts = turn.parts.map((part) =>
    part.kind === 'text' ? { ...part, text: `<system-reminder>\n${part.text}\n</system-reminder>` } : part,
  );
  return { role: 'user', parts };
}
