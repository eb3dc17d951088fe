import type { Target } from '../../hub/codec.ts';
import type { JsonObject, JsonValue } from '../../hub/content/json.ts';
import { withMediaInUserTurns } from '../../hub/fit/turns.ts';
import { Inexpressible, type Notes } from '../../hub/notes.ts';
import type { TextPart } from '../../hub/part.ts';
import type { HubRequest } from '../../hub/request.ts';
import { encodeTurns } from './items.ts';
import { encodeOptions } from './options.ts';
import { encodeInputParts, type PartScope } from './parts.ts';
import { encodeTools } from './tools.ts';

/** Claude Code's first block changes with every call and would defeat the vendor's cache (rule C-13). */
const BILLING_HEADER = 'x-anthropic-billing-header:';

export function encodeRequest(request: HubRequest, target: Target, notes: Notes): JsonObject {
  if (request.answers > 1) {
    throw new Inexpressible(notes.getClientName('answers'), 'the vendor gives one answer at a time');
  }
  const scope: PartScope = { request, target, notes };
  const system = request.system.filter(
    (part, index) => part.text !== '' && !(index === 0 && part.text.startsWith(BILLING_HEADER)),
  );
  const turns = encodeTurns(withMediaInUserTurns(request.turns), scope);
  // Cache marks need parts, and a request needs an input: in these cases the system texts are items.
  const isMarked = target.capabilities.cacheMarks && system.some((part) => part.cache !== undefined);
  const isInline = isMarked || turns.length === 0;
  if (!isInline && system.some((part) => part.cache !== undefined)) notes.lose('cacheMarks');
  const input = [...formatReminder(scope), ...(isInline ? systemItem(system, scope) : []), ...turns];
  return {
    model: target.model,
    instructions: isInline || system.length === 0 ? undefined : system.map(({ text }) => text).join('\n\n'),
    input,
    ...encodeTools(scope),
    ...encodeOptions(scope),
  };
}

function systemItem(system: readonly TextPart[], scope: PartScope): readonly JsonObject[] {
  const content = encodeInputParts(system, scope);
  return content.length === 0 ? [] : [{ type: 'message', role: 'developer', content }];
}

/**
 * JSON without a schema is refused unless the input contains the word "JSON". A schema that cannot be sent
 * becomes an instruction.
 */
function formatReminder(scope: PartScope): readonly JsonValue[] {
  const { format, turns } = scope.request;
  const isInstruction = format.kind === 'schema' && !scope.target.capabilities.structuredOutput;
  if (format.kind !== 'json' && !isInstruction) return [];
  const texts = turns.flatMap((turn) => turn.parts).map((part) => (part.kind === 'text' ? part.text : ''));
  if (!isInstruction && texts.some((text) => /json/i.test(text))) return [];
  const schema = isInstruction ? ` that fits this JSON Schema: ${format.schema}` : '.';
  const text = `Respond with a single JSON object${schema}`;
  return [{ type: 'message', role: 'developer', content: [{ type: 'input_text', text }] }];
}
