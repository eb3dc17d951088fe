/** Names of the wire. Fields are written in camel case; Google reads their snake-case twins as well. */

/** What a part may hold: exactly one of them (protobuf `oneof`). */
export const PAYLOADS = [
  'text',
  'inlineData',
  'fileData',
  'functionCall',
  'functionResponse',
  'executableCode',
  'codeExecutionResult',
  'toolCall',
  'toolResponse',
] as const;

export type Payload = (typeof PAYLOADS)[number];

/** What stands beside the payload and is read; everything else beside it is an option no other vendor has. */
export const PART_FIELDS: ReadonlySet<string> = new Set([...PAYLOADS, 'thought', 'thoughtSignature']);

/** Keys whose values keep their spelling: arguments, results and schemas, in both spellings of the key. */
export const RAW_KEYS: ReadonlySet<string> = new Set([
  'args',
  'response',
  'parameters',
  'parametersJsonSchema',
  'parameters_json_schema',
  'responseSchema',
  'response_schema',
  'responseJsonSchema',
  'response_json_schema',
  '_responseJsonSchema',
]);

/** Google lets this pass in place of a signature that was lost; the raw text is valid base64url itself. */
export const SIGNATURE_SENTINEL = 'skip_thought_signature_validator';
