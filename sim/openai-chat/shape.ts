import {
  anything,
  either,
  flag,
  integer,
  list,
  map,
  number,
  oneOf,
  type Shape,
  struct,
  text,
  variant,
} from '../request/shape.ts';

const NAME = /^[a-zA-Z0-9_-]{1,64}$/;
const CALL_ID_LENGTH_MAX = 64;

const cacheBreakpoint = struct({ 'mode!': oneOf('explicit'), ttl: text() });
const textPart = struct({ 'type!': text(), 'text!': text(), prompt_cache_breakpoint: cacheBreakpoint });
const refusalPart = struct({ 'type!': text(), 'refusal!': text() });
const imagePart = struct({
  'type!': text(),
  'image_url!': struct({ 'url!': text(), detail: oneOf('auto', 'low', 'high', 'original') }),
  prompt_cache_breakpoint: cacheBreakpoint,
});
const audioPart = struct({
  'type!': text(),
  'input_audio!': struct({ 'data!': text(), 'format!': oneOf('wav', 'mp3') }),
  prompt_cache_breakpoint: cacheBreakpoint,
});
const filePart = struct({
  'type!': text(),
  'file!': struct({ file_data: text(), file_id: text(), filename: text() }),
  prompt_cache_breakpoint: cacheBreakpoint,
});

const textOnly = either(text(), list(variant('type', { text: textPart }), { min: 1 }));

const toolCall = variant('type', {
  function: struct({
    'id!': text({ max: CALL_ID_LENGTH_MAX }),
    'type!': text(),
    'function!': struct({ 'name!': text(), 'arguments!': text() }),
  }),
  custom: struct({
    'id!': text({ max: CALL_ID_LENGTH_MAX }),
    'type!': text(),
    'custom!': struct({ 'name!': text(), 'input!': text() }),
  }),
});

const message = variant('role', {
  system: struct({ 'role!': text(), 'content!': textOnly, name: text() }),
  developer: struct({ 'role!': text(), 'content!': textOnly, name: text() }),
  user: struct({
    'role!': text(),
    'content!': either(
      text(),
      list(
        variant('type', { text: textPart, image_url: imagePart, input_audio: audioPart, file: filePart }),
        {
          min: 1,
        },
      ),
    ),
    name: text(),
  }),
  assistant: struct({
    'role!': text(),
    content: either(text(), list(variant('type', { text: textPart, refusal: refusalPart }))),
    name: text(),
    refusal: text(),
    audio: struct({ 'id!': text() }),
    annotations: anything,
    tool_calls: list(toolCall, { min: 1 }),
    function_call: struct({ 'name!': text(), 'arguments!': text() }),
  }),
  // The specification forgot the name; the vendor takes it.
  tool: struct({ 'role!': text(), 'content!': textOnly, 'tool_call_id!': text(), name: text() }),
  function: struct({ 'role!': text(), content: text(), 'name!': text() }),
});

const tool = variant('type', {
  function: struct({
    'type!': text(),
    'function!': struct({
      'name!': text({ pattern: NAME }),
      description: text(),
      parameters: map(anything),
      strict: flag,
    }),
  }),
  custom: struct({
    'type!': text(),
    'custom!': struct({ 'name!': text({ pattern: NAME }), description: text(), format: anything }),
  }),
});

/** How tools were declared before there were others than functions. */
const legacyFunction = struct({
  'name!': text({ pattern: NAME }),
  description: text(),
  parameters: map(anything),
});

const allowedTools = struct({ 'mode!': oneOf('auto', 'required'), 'tools!': list(anything) });
const toolChoice = either(
  oneOf('none', 'auto', 'required'),
  variant('type', {
    function: struct({ 'type!': text(), 'function!': struct({ 'name!': text() }) }),
    custom: struct({ 'type!': text(), 'custom!': struct({ 'name!': text() }) }),
    allowed_tools: struct({ 'type!': text(), 'allowed_tools!': allowedTools }),
  }),
);

const responseFormat = variant('type', {
  text: struct({ 'type!': text() }),
  json_object: struct({ 'type!': text() }),
  json_schema: struct({
    'type!': text(),
    'json_schema!': struct({
      'name!': text({ pattern: NAME }),
      description: text(),
      schema: map(anything),
      strict: flag,
    }),
  }),
});

const webSearch = struct({
  search_context_size: oneOf('low', 'medium', 'high'),
  user_location: struct({
    'type!': oneOf('approximate'),
    'approximate!': struct({ city: text(), country: text(), region: text(), timezone: text() }),
  }),
});

const METADATA = map(text({ max: 512 }), 16);

export const CHAT_REQUEST: Shape = struct({
  'model!': text(),
  'messages!': list(message, { min: 1 }),
  audio: anything,
  frequency_penalty: number(-2, 2),
  function_call: either(oneOf('none', 'auto'), struct({ 'name!': text() })),
  functions: list(legacyFunction, { min: 1, max: 128 }),
  logit_bias: map(number(-100, 100)),
  logprobs: flag,
  max_completion_tokens: integer(1),
  max_tokens: integer(1),
  metadata: METADATA,
  modalities: list(oneOf('text', 'audio')),
  moderation: anything,
  n: integer(1, 128),
  parallel_tool_calls: flag,
  prediction: anything,
  presence_penalty: number(-2, 2),
  prompt_cache_key: text(),
  prompt_cache_options: anything,
  prompt_cache_retention: oneOf('in-memory', 'in_memory', '24h'),
  reasoning_effort: oneOf('none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'),
  response_format: responseFormat,
  safety_identifier: text(),
  seed: integer(),
  service_tier: oneOf('auto', 'default', 'flex', 'scale', 'priority', 'fast'),
  stop: either(text(), list(text(), { max: 4 })),
  store: flag,
  stream: flag,
  stream_options: struct({ include_usage: flag, include_obfuscation: flag }),
  temperature: number(0, 2),
  tool_choice: toolChoice,
  tools: list(tool, { max: 128 }),
  top_logprobs: integer(0, 20),
  top_p: number(0, 1),
  user: text(),
  verbosity: oneOf('low', 'medium', 'high'),
  web_search_options: webSearch,
});
