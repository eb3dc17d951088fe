import { isObject, type JsonObject, type JsonValue, writeJson } from '../../hub/content/json.ts';
import type { ServerToolPart } from '../../hub/part.ts';
import { field, findText } from '../fields.ts';
import type { Payload } from '../wire.ts';

/** A part of a tool that ran at Google: whole for Google, readable text for all others. */
export function serverTool(part: JsonObject, payload: Payload): ServerToolPart {
  const value = field(part, payload);
  const text = isObject(value) ? describe(payload, value) : '';
  return { kind: 'server-tool', protocol: 'gemini', raw: writeJson(part), text };
}

function describe(payload: Payload, value: JsonObject): string {
  switch (payload) {
    case 'executableCode':
      return fence((findText(field(value, 'language')) ?? '').toLowerCase(), findText(field(value, 'code')));
    case 'codeExecutionResult':
      return fence('', findText(field(value, 'output')));
    case 'toolCall':
      return `[${findText(field(value, 'toolType')) ?? 'tool'} ${json(field(value, 'args'))}]`;
    default:
      return json(field(value, 'response'));
  }
}

function fence(language: string, text: string | undefined): string {
  return text === undefined || text === '' ? '' : `\`\`\`${language}\n${text}\n\`\`\``;
}

function json(value: JsonValue | undefined): string {
  return value === undefined ? '' : writeJson(value);
}
