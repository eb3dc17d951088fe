import type { Target } from '../../hub/codec.ts';
import type { JsonObject } from '../../hub/content/json.ts';
import {
  endsWithPrefill,
  everyPart,
  inlineSystemTurns,
  startRequestWithUser,
  withoutEmptyText,
  withoutPrefill,
} from '../../hub/fit/turns.ts';
import type { Notes } from '../../hub/notes.ts';
import { isCited, isDetailed, isMarked, type TextPart } from '../../hub/part.ts';
import type { HubRequest } from '../../hub/request.ts';
import { encodeConfig, formatInstruction } from './config.ts';
import { encodeTurn, settleParts } from './parts.ts';
import { encodeToolConfig, encodeTools } from './tools.ts';

/** Claude Code's attribution changes with every request and would defeat the cache (rule C-13). */
const ATTRIBUTION = 'x-anthropic-billing-header:';

export function encodeRequest(request: HubRequest, target: Target, notes: Notes): JsonObject {
  const { capabilities } = target;
  noteLosses(request, notes);
  const order = formatInstruction(request, capabilities, notes);
  const turns = withoutEmptyText(inlineSystemTurns(request.turns).map(settleParts));
  const { system, turns: begun } = startRequestWithUser({
    ...request,
    turns,
    system: toSystemParts(request),
  });
  const words = order === undefined ? system : [...system, { kind: 'text' as const, text: order }];
  if (!capabilities.prefill && endsWithPrefill(begun)) notes.lose('prefill');
  const ended = capabilities.prefill ? begun : withoutPrefill(begun);
  return {
    contents: ended.map((turn) => encodeTurn(turn, capabilities)),
    systemInstruction: words.length === 0 ? undefined : { parts: words.map((part) => ({ text: part.text })) },
    tools: encodeTools(request, capabilities, notes),
    toolConfig: encodeToolConfig(request, capabilities, notes),
    generationConfig: encodeConfig(request, capabilities, notes),
  };
}

function toSystemParts({ system }: HubRequest): readonly TextPart[] {
  return system.filter((part) => part.text !== '' && !part.text.startsWith(ATTRIBUTION));
}

/** Notes the options that Google does not have. */
function noteLosses(request: HubRequest, notes: Notes): void {
  if (request.endUser !== undefined) notes.lose('endUser');
  if (request.metadata !== undefined) notes.lose('metadata');
  if (request.cacheKey !== undefined) notes.lose('cacheKey');
  if (request.serviceTier !== undefined) notes.lose('serviceTier');
  if (request.verbosity !== undefined) notes.lose('verbosity');
  const parts = everyPart(request);
  const hasMarkedTool = request.tools.some((tool) => tool.kind === 'function' && tool.cached === true);
  if (hasMarkedTool || parts.some(isMarked)) notes.lose('cacheMarks');
  if (parts.some(isDetailed)) notes.lose('detail');
  if (parts.some(isCited)) notes.lose('citations');
  // Only files that Google stores have names.
  if (parts.some((part) => part.kind === 'file' && (part.filename ?? part.title) !== undefined)) {
    notes.lose('filename');
  }
}
