import { verify } from '../answer/sign.ts';
import type { GoogleModel } from '../models.ts';
import { type Json, record, records, string } from '../request/json.ts';
import { THOUGHT_SEAL, textSeal } from './answer.ts';
import { mergeTurns } from './conversation.ts';

/** Google lets these pass in place of a signature that was lost (rule V-7). */
const SENTINELS = ['skip_thought_signature_validator', 'context_engineering_is_the_way_to_go'];

/**
 * Every signature must be ours, that of words on these words; from Gemini 3 on the first call of each step of
 * the turn must have one.
 */
export function refuseSignatures(given: readonly Json[], model: GoogleModel): string | undefined {
  const contents = mergeTurns(given);
  const start = currentTurn(contents);
  for (const [index, content] of contents.entries()) {
    const parts = records(content.parts);
    let said = '';
    for (const part of parts) {
      const isSaid = part.text !== undefined && part.thought !== true;
      if (isSaid) said += string(part.text);
      if (part.thoughtSignature === undefined) continue;
      const seals = isSaid ? [THOUGHT_SEAL, textSeal(said)] : [THOUGHT_SEAL];
      if (!isGenuine(string(part.thoughtSignature), seals)) return 'Corrupted thought signature.';
    }
    const first = parts.find((part) => part.functionCall !== undefined);
    if (model.generation < 3 || index < start || first === undefined) continue;
    if (first.thoughtSignature === undefined) return missing(string(record(first.functionCall).name), index);
  }
  return undefined;
}

function isGenuine(signature: string, seals: readonly string[]): boolean {
  const bytes = Buffer.from(signature, 'base64');
  if (SENTINELS.includes(signature) || SENTINELS.includes(bytes.toString())) return true;
  return seals.some((seal) => verify(bytes, seal) === 'genuine');
}

/** The turn begins with the last content in which the user said something. */
function currentTurn(contents: readonly Json[]): number {
  return contents.findLastIndex(
    (content) =>
      content.role !== 'model' && records(content.parts).every((part) => part.functionResponse === undefined),
  );
}

function missing(name: string, index: number): string {
  return (
    'Function call is missing a thought_signature in functionCall parts. This is required for tools to work ' +
    'correctly, and missing thought_signature may lead to degraded model performance. Additional data, ' +
    `function call \`default_api:${name}\` , position ${index + 1}. Please refer to ` +
    'https://ai.google.dev/gemini-api/docs/thought-signatures for more details.'
  );
}
