/** Field names of the protocol. They are written in camel case; Google also reads their snake-case forms. */

/** A part contains exactly one of these (protobuf `oneof`). */
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

/** Fields that are read beside the payload. All other fields are options that no other vendor has. */
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

/** Google accepts this in place of a lost signature. The text itself is valid base64url. */
export const SIGNATURE_SENTINEL = 'skip_thought_signature_validator';
