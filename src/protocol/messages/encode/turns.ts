import type { Target } from '../../hub/codec.ts';
import type { JsonObject } from '../../hub/content/json.ts';
import {
  inlineSystemTurn,
  mergeTurns,
  startRequestWithUser,
  withMediaInUserTurns,
  withoutPrefill,
} from '../../hub/fit/turns.ts';
import type { Part, TextPart } from '../../hub/part.ts';
import type { HubRequest, Turn } from '../../hub/request.ts';
import type { WireMessage } from './cache-marks.ts';
import type { PartContext } from './media.ts';
import { encodeParts, isDropped, type Role } from './parts.ts';

/** Some models refuse a turn with only a document. */
const BESIDE_DOCUMENT: JsonObject = { type: 'text', text: 'See the document.' };

export interface Conversation {
  readonly system: readonly TextPart[];
  readonly turns: readonly Turn[];
}

/**
 * The conversation as the vendor accepts it (rule C-12, rule C-15): which role begins, and where system turns
 * may be.
 */
export function arrangeTurns(request: HubRequest, target: Target): Conversation {
  const { systemTurns, toolResultImages } = target.capabilities;
  const system = request.system.filter((part) => part.text.trim() !== '');
  const turns = withMediaInUserTurns(request.turns);
  const arranged = toolResultImages ? turns : turns.map(withPicturesAfter);
  const placed = placeSystemTurns(withoutDropped(arranged, target), systemTurns ? 'where-legal' : 'nowhere');
  return startRequestWithUser({ ...request, system, turns: placed });
}

/** Parts that would be dropped must not decide which role comes first or last. */
function withoutDropped(turns: readonly Turn[], target: Target): readonly Turn[] {
  return mergeTurns(
    turns.map(({ role, parts }) => ({
      role,
      parts: parts.filter((part) => !isDropped(part, toRole(role), target)),
    })),
  );
}

function toRole(role: Turn['role']): Role {
  return role === 'assistant' ? 'assistant' : 'user';
}

/** A system turn may be after the user and before the assistant. Elsewhere it becomes user text. */
function placeSystemTurns(turns: readonly Turn[], native: 'where-legal' | 'nowhere'): readonly Turn[] {
  const placed = turns.map((turn, index) => {
    if (turn.role !== 'system') return turn;
    const isLegal = turns[index - 1]?.role === 'user' && turns[index + 1]?.role !== 'user';
    return native === 'where-legal' && isLegal ? turn : inlineSystemTurn(turn);
  });
  return mergeTurns(placed);
}

/** For models that read no images in results: the images follow after all of the turn's results. */
function withPicturesAfter(turn: Turn): Turn {
  const pictures: Part[] = [];
  const parts = turn.parts.map((part): Part => {
    if (part.kind !== 'tool-result') return part;
    const inner = part.parts.map((one): Part => {
      if (one.kind !== 'image') return one;
      pictures.push(one);
      return { kind: 'text', text: '[image]' };
    });
    return { ...part, parts: inner };
  });
  const results = parts.filter(({ kind }) => kind === 'tool-result');
  const rest = parts.filter(({ kind }) => kind !== 'tool-result');
  return pictures.length === 0 ? turn : { role: turn.role, parts: [...results, ...pictures, ...rest] };
}

/** A call at the end of the conversation without its thinking (rule C-43). */
export function endsWithBareCall(turns: readonly Turn[]): boolean {
  const last = turns.findLast(({ role }) => role === 'assistant');
  if (last === undefined || !last.parts.some(({ kind }) => kind === 'tool-call')) return false;
  const isAnswered = turns.at(-1)?.parts.some(({ kind }) => kind === 'tool-result') === true;
  return isAnswered && last.parts[0]?.kind !== 'reasoning';
}

export function trimPrefill(turns: readonly Turn[], prefill: 'allowed' | 'refused'): readonly Turn[] {
  const last = turns.at(-1);
  if (last?.role !== 'assistant') return turns;
  if (prefill === 'refused') return startAgain(withoutPrefill(turns));
  const part = last.parts.at(-1);
  if (part?.kind !== 'text') return turns;
  // The vendor refuses trailing blanks.
  const parts: readonly Part[] = [...last.parts.slice(0, -1), { ...part, text: part.text.trimEnd() }];
  return [...turns.slice(0, -1), { role: 'assistant', parts }];
}

function startAgain(turns: readonly Turn[]): readonly Turn[] {
  return turns.length > 0 ? turns : [{ role: 'user', parts: [{ kind: 'text', text: 'Continue.' }] }];
}

export function encodeTurns(turns: readonly Turn[], context: PartContext): readonly WireMessage[] {
  return turns.map(({ role, parts }) => {
    const content = encodeParts(parts, toRole(role), context);
    const isDocument = content.every(({ type }) => type === 'document');
    return { role, content: isDocument ? [...content, BESIDE_DOCUMENT] : content };
  });
}
