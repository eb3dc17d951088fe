import { describe, expect, it } from 'vitest';
import {
  COUNT_FIELDS,
  CUSTOM_TOOL,
  MESSAGES_BY_VERSION,
  WEB_SEARCH_TOOL,
} from '../../sim/anthropic/shape.ts';
import { GENERATE_REQUEST } from '../../sim/google/shape.ts';
import { CHAT_REQUEST } from '../../sim/openai-chat/shape.ts';
import { INPUT_TOKENS_REQUEST, RESPONSES_REQUEST } from '../../sim/openai-responses/shape.ts';
import { type Shape, struct } from '../../sim/request/shape.ts';
import type { TextProtocol } from '../../src/protocol/hub/protocol.ts';
import { needs, SPECIFICATIONS } from '../needs.ts';
import { documentOf } from './specs/document.ts';
import { unknownFields } from './specs/unknown-fields.ts';

const MESSAGES = struct(MESSAGES_BY_VERSION.get('2023-06-01') ?? {});

const ROWS: readonly (readonly [TextProtocol, string, Shape])[] = [
  ['chat', 'CreateChatCompletionRequest', CHAT_REQUEST],
  ['responses', 'CreateResponse', RESPONSES_REQUEST],
  ['responses', 'TokenCountsBody', INPUT_TOKENS_REQUEST],
  ['messages', 'CreateMessageParams', MESSAGES],
  ['messages', 'CountMessageTokensParams', struct(COUNT_FIELDS)],
  ['messages', 'Tool', CUSTOM_TOOL],
  ['messages', 'WebSearchTool_20260318', WEB_SEARCH_TOOL],
  ['gemini', 'GenerateContentRequest', GENERATE_REQUEST],
];

/** The specification is generous here; the vendor refuses these parts of an assistant's message. */
const REFUSED = /^input\.\[\]\.message\.assistant\.content\.\[\]\.input_(?:text|image|file)$/;

describe('every field of a specification', needs(SPECIFICATIONS), () => {
  it.each(ROWS)('of %s, %s, is accepted by the simulator', (protocol, name, shape) => {
    const { schemas } = documentOf(protocol);
    const schema = schemas[name];
    if (schema === undefined) throw new Error(`no schema is called ${name}`);
    const unknown = unknownFields(shape, schema, schemas).filter((path) => !REFUSED.test(path));
    expect(unknown).toEqual([]);
  });
});
