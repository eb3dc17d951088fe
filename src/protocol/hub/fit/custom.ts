import { JSON_DEPTH_MAX, RESPONSE_BODY_BYTES_MAX } from '../../../bounds.ts';
import { isJsonObject, type JsonBounds, parseJson } from '../../../kernel/encoding/json.ts';
import type { ToolCallPart, ToolResultPart } from '../part.ts';
import type { CustomTool, FunctionTool } from '../request.ts';

const INPUT_SCHEMA = '{"type":"object","properties":{"input":{"type":"string"}},"required":["input"]}';

const BOUNDS: JsonBounds = { bytesMax: RESPONSE_BODY_BYTES_MAX, depthMax: JSON_DEPTH_MAX };

/** A custom tool as a function with one text (rule C-33). The description contains the grammar. */
export function wrapCustomTool({ name, namespace, description, grammar }: CustomTool): FunctionTool {
  const rule = grammar && `The input must match this grammar (${grammar.syntax}):\n${grammar.definition}`;
  const words = [description, rule].filter((text) => text !== undefined).join('\n\n');
  return {
    kind: 'function',
    name,
    ...(namespace === undefined ? {} : { namespace }),
    ...(words === '' ? {} : { description: words }),
    schema: INPUT_SCHEMA,
    strict: undefined,
  };
}

export function wrapCustomCall(call: ToolCallPart): ToolCallPart {
  return call.custom
    ? { ...call, custom: false, arguments: JSON.stringify({ input: call.arguments }) }
    : call;
}

export function wrapCustomResult(result: ToolResultPart): ToolResultPart {
  return result.custom ? { ...result, custom: false } : result;
}

/** The free text in the arguments of a wrapped call. Arguments of another form are taken as they are. */
export function unwrapCustomInput(text: string): string {
  const result = parseJson(text, BOUNDS);
  if (result.kind === 'invalid' || !isJsonObject(result.value)) return text;
  const { input } = result.value;
  if (typeof input === 'string') return input;
  // An empty object means that the model called the tool without input.
  return Object.keys(result.value).length === 0 ? '' : text;
}
