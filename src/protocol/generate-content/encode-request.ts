import type { JsonObject } from '../hub/json.ts';
import type { Notes } from '../hub/notes.ts';
import type { Part, TextPart } from '../hub/part.ts';
import type { HubRequest } from '../hub/request.ts';
import type { Target } from '../hub/spoke.ts';
import { inlineSystemTurns, startRequestWithUser, withoutEmptyText, withoutPrefill } from '../hub/turns.ts';
import { encodeConfig, formatInstruction } from './encode-config.ts';
import { encodeTurn, settleParts } from './encode-parts.ts';
import { encodeToolConfig, encodeTools } from './encode-tools.ts';

/** Claude Code's attribution changes with every request and would defeat the cache (conversion.md 4.3). */
const ATTRIBUTION = 'x-anthropic-billing-header:';

export function encodeRequest(request: HubRequest, target: Target, notes: Notes): JsonObject {
  const { capabilities } = target;
  noteLosses(request, notes);
  const order = formatInstruction(request, capabilities, notes);
  const turns = withoutEmptyText(inlineSystemTurns(request.turns).map(settleParts));
  const { system, turns: begun } = startRequestWithUser({ ...request, turns, system: systemOf(request) });
  const words = order === undefined ? system : [...system, { kind: 'text' as const, text: order }];
  return {
    contents: withoutPrefill(begun).map((turn) => encodeTurn(turn, capabilities)),
    systemInstruction: words.length === 0 ? undefined : { parts: words.map((part) => ({ text: part.text })) },
    tools: encodeTools(request.tools, notes),
    toolConfig: encodeToolConfig(request, capabilities, notes),
    generationConfig: encodeConfig(request, capabilities, notes),
  };
}

function systemOf({ system }: HubRequest): readonly TextPart[] {
  return system.filter((part) => part.text !== '' && !part.text.startsWith(ATTRIBUTION));
}

/** Options that Google has no word for. */
function noteLosses(request: HubRequest, notes: Notes): void {
  if (request.endUser !== undefined) notes.lose('endUser');
  if (request.cacheKey !== undefined) notes.lose('cacheKey');
  if (request.serviceTier !== undefined) notes.lose('serviceTier');
  if (request.verbosity !== undefined) notes.lose('verbosity');
  const parts = [...request.system, ...request.turns.flatMap((turn) => turn.parts)];
  const isMarked = (one: object): boolean => 'cache' in one && one.cache !== undefined;
  const hasMarkedTool = request.tools.some((tool) => tool.kind === 'function' && tool.cached === true);
  if (hasMarkedTool || parts.some(isMarked)) notes.lose('cacheMarks');
  if (parts.some(hasDetail)) notes.lose('detail');
}

function hasDetail(part: Part): boolean {
  return part.kind === 'image' && part.detail !== undefined && part.detail !== 'auto';
}
