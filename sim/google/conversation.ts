import type { GoogleModel } from '../models.ts';
import { type Json, record, records, string } from '../request/json.ts';
import { snake } from './error.ts';
import { PAYLOADS } from './shape.ts';

/** Who speaks, what a part holds, and how calls and responses follow each other. */
export function refuseContents(body: Json, model: GoogleModel): string | undefined {
  const contents = records(body.contents);
  if (contents.length === 0) return '* GenerateContentRequest.contents: contents is not specified\n';
  const system = record(body.systemInstruction);
  // Gemini 3 lets a user say nothing.
  const empty = model.generation >= 3 ? 'allowed' : 'refused';
  return (
    refuseParts(system, 'system_instruction', 'refused') ??
    firstProblem(contents, (content, index) => refuseParts(content, `contents[${index}]`, empty)) ??
    firstProblem(contents, refuseRole) ??
    firstProblem(contents, refuseNames) ??
    refuseOrder(contents, model)
  );
}

function firstProblem(
  contents: readonly Json[],
  rule: (content: Json, index: number) => string | undefined,
): string | undefined {
  for (const [index, content] of contents.entries()) {
    const problem = rule(content, index);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function refuseParts(content: Json, path: string, empty: 'allowed' | 'refused'): string | undefined {
  const place = `* GenerateContentRequest.${path}.parts`;
  if (content.parts === undefined && path === 'system_instruction') return undefined;
  const parts = records(content.parts);
  if (parts.length === 0) return `${place}: contents.parts must not be empty.`;
  for (const [index, part] of parts.entries()) {
    const payloads = Object.keys(PAYLOADS).filter((name) => part[name] !== undefined);
    const second = payloads[1];
    if (second !== undefined) {
      return (
        `Invalid value at '${path}.parts[${index}]' (oneof), oneof field 'data' is already set. ` +
        `Cannot set '${snake(second)}'`
      );
    }
    // What the model said itself may come back empty; what others say may not.
    const silent = part.text === '' && content.role !== 'model' && empty === 'refused';
    if (payloads.length === 0 || silent) {
      return `${place}[${index}].data: required oneof field 'data' must have one initialized field`;
    }
  }
  return undefined;
}

function refuseRole(content: Json): string | undefined {
  const role = content.role ?? 'user';
  const known = role === 'user' || role === 'model' || role === 'function';
  return known ? undefined : 'Please use a valid role: user, model.';
}

function count(content: Json | undefined, field: string): number {
  return records(content?.parts).filter((part) => part[field] !== undefined).length;
}

/** Contents of the model that follow each other are one turn: the SDK keeps a stream in such pieces. */
export function mergeTurns(contents: readonly Json[]): readonly Json[] {
  const turns: { role: unknown; parts: Json[] }[] = [];
  for (const content of contents) {
    const role = content.role === 'model' ? 'model' : 'user';
    const last = turns.at(-1);
    if (last?.role === role && role === 'model') last.parts.push(...records(content.parts));
    else turns.push({ role, parts: [...records(content.parts)] });
  }
  return turns;
}

/** A response may stand in the content of its call: Google's SDKs keep histories like that. */
function refuseOrder(contents: readonly Json[], model: GoogleModel): string | undefined {
  const turns = mergeTurns(contents);
  let open = 0;
  for (const [index, turn] of turns.entries()) {
    const calls = count(turn, 'functionCall');
    const responses = count(turn, 'functionResponse');
    if (calls > 0 && index === 0 && turn.role === 'model') {
      return (
        'Please ensure that function call turn comes immediately after a user turn or after a function ' +
        'response turn.'
      );
    }
    if (responses > 0 && open + calls === 0) {
      return 'Please ensure that function response turn comes immediately after a function call turn.';
    }
    if (responses < open || responses > open + calls) {
      return (
        'Please ensure that the number of function response parts is equal to the number of function call ' +
        'parts of the function call turn.'
      );
    }
    open += calls - responses;
  }
  if (turns.at(-1)?.role !== 'model' || model.prefill === 'allowed') return undefined;
  return 'Please ensure that multiturn requests ends with a user role or a function response.';
}

function refuseNames(content: Json, index: number): string | undefined {
  const nameless = records(content.parts).findIndex(
    (part) => part.functionResponse !== undefined && string(record(part.functionResponse).name) === '',
  );
  if (nameless === -1) return undefined;
  const place = `contents[${index}].parts[${nameless}].function_response.name`;
  return `* GenerateContentRequest.${place}: Name cannot be empty.`;
}
