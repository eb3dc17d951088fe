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

export const TOOL_NAME = /^[a-zA-Z0-9_-]{1,128}$/;
const CALL_ID = /^[a-zA-Z0-9_-]+$/;

const cacheControl = struct({ 'type!': oneOf('ephemeral'), ttl: oneOf('5m', '1h'), scope: text() });
const textBlock = struct({
  'type!': text(),
  'text!': text(),
  cache_control: cacheControl,
  citations: list(anything),
});
const imageBlock = struct({
  'type!': text(),
  'source!': variant('type', {
    base64: struct({
      'type!': text(),
      'media_type!': oneOf('image/jpeg', 'image/png', 'image/gif', 'image/webp'),
      'data!': text(),
    }),
    url: struct({ 'type!': text(), 'url!': text() }),
    file: struct({ 'type!': text(), 'file_id!': text() }),
  }),
  cache_control: cacheControl,
});
const documentBlock = struct({
  'type!': text(),
  'source!': variant('type', {
    base64: struct({ 'type!': text(), 'media_type!': oneOf('application/pdf'), 'data!': text() }),
    text: struct({ 'type!': text(), 'media_type!': oneOf('text/plain'), 'data!': text() }),
    url: struct({ 'type!': text(), 'url!': text() }),
    file: struct({ 'type!': text(), 'file_id!': text() }),
    content: struct({ 'type!': text(), 'content!': anything }),
  }),
  cache_control: cacheControl,
  citations: anything,
  context: text(),
  title: text(),
});
const searchResult = struct({
  'type!': text(),
  'source!': text(),
  'title!': text(),
  'content!': list(textBlock),
  citations: anything,
  cache_control: cacheControl,
});
const toolResult = struct({
  'type!': text(),
  'tool_use_id!': text({ pattern: CALL_ID }),
  content: either(
    text(),
    list(
      variant('type', {
        text: textBlock,
        image: imageBlock,
        document: documentBlock,
        search_result: searchResult,
        tool_reference: map(anything),
      }),
    ),
  ),
  is_error: flag,
  cache_control: cacheControl,
});

/** Blocks of server tools are the vendor's own; their inside is not checked here. */
const SERVER_BLOCKS = [
  'server_tool_use',
  'web_search_tool_result',
  'web_fetch_tool_result',
  'code_execution_tool_result',
  'bash_code_execution_tool_result',
  'text_editor_code_execution_tool_result',
  'tool_search_tool_result',
  'mcp_tool_use',
  'mcp_tool_result',
  'container_upload',
  'compaction',
  'advisor_tool_result',
  'tool_addition',
  'tool_removal',
  'fallback',
];
const serverBlocks = Object.fromEntries(SERVER_BLOCKS.map((name) => [name, map(anything)]));

const block = variant('type', {
  text: textBlock,
  image: imageBlock,
  document: documentBlock,
  search_result: searchResult,
  thinking: struct({ 'type!': text(), 'thinking!': text(), 'signature!': text() }),
  redacted_thinking: struct({ 'type!': text(), 'data!': text() }),
  tool_use: struct({
    'type!': text(),
    'id!': text({ pattern: CALL_ID }),
    'name!': text({ pattern: TOOL_NAME }),
    'input!': map(anything),
    cache_control: cacheControl,
    caller: anything,
    toolset_name: text(),
  }),
  tool_result: toolResult,
  mid_conv_system: struct({ 'type!': text(), 'content!': list(textBlock), cache_control: cacheControl }),
  ...serverBlocks,
});

const message = struct({
  'role!': oneOf('user', 'assistant', 'system'),
  'content!': either(text(), list(block)),
});

const customTool = struct({
  type: oneOf('custom'),
  'name!': text({ pattern: TOOL_NAME }),
  description: text(),
  'input_schema!': map(anything),
  cache_control: cacheControl,
  strict: flag,
  defer_loading: flag,
  eager_input_streaming: flag,
  input_examples: list(map(anything)),
  allowed_callers: list(text()),
});

const place = text({ max: 255, pattern: /^[\s\S]/ });
const webSearchTool = struct({
  'type!': text(),
  'name!': oneOf('web_search'),
  allowed_callers: list(text()),
  allowed_domains: list(text()),
  blocked_domains: list(text()),
  cache_control: cacheControl,
  defer_loading: flag,
  max_uses: integer(1),
  response_inclusion: anything,
  strict: flag,
  user_location: struct({
    'type!': oneOf('approximate'),
    city: place,
    country: text({ pattern: /^.{2}$/ }),
    region: place,
    timezone: place,
  }),
});

const thinkingRest = {
  'type!': text(),
  display: oneOf('summarized', 'omitted'),
  block_binding: anything,
};
const thinking = variant('type', {
  enabled: struct({ ...thinkingRest, 'budget_tokens!': integer(1024) }),
  adaptive: struct(thinkingRest),
  between_tools: struct(thinkingRest),
  disabled: struct(thinkingRest),
});

const parallel = { disable_parallel_tool_use: flag };
const toolChoice = variant('type', {
  auto: struct({ 'type!': text(), ...parallel }),
  any: struct({ 'type!': text(), ...parallel }),
  tool: struct({ 'type!': text(), 'name!': text(), ...parallel }),
  none: struct({ 'type!': text() }),
});

const outputConfig = struct({
  effort: oneOf('low', 'medium', 'high', 'xhigh', 'max'),
  format: struct({ 'type!': oneOf('json_schema'), 'schema!': map(anything) }),
  task_budget: anything,
});

/** What counting and generating have in common. */
const prompt = {
  'model!': text(),
  'messages!': list(message, { min: 1 }),
  cache_control: cacheControl,
  output_config: outputConfig,
  system: either(text(), list(variant('type', { text: textBlock }))),
  thinking,
  tool_choice: toolChoice,
  // Typed tools (bash_…, web_search_…) are told apart by prefix, after the shape.
  tools: list(map(anything)),
};

const shared = {
  ...prompt,
  // None fills the prompt cache and nothing else.
  'max_tokens!': integer(0),
  container: anything,
  inference_geo: text(),
  metadata: struct({ user_id: text({ max: 512 }) }),
  service_tier: oneOf('auto', 'standard_only'),
  stop_sequences: list(text()),
  stream: flag,
};

/** Sampling left the protocol with version 2026-10-21 (rule V-5). */
const sampling = { temperature: number(0, 1), top_p: number(0, 1), top_k: integer(0) };

export const MESSAGES_BY_VERSION: ReadonlyMap<string, Readonly<Record<string, Shape>>> = new Map([
  ['2023-06-01', { ...shared, ...sampling }],
  ['2026-10-21', shared],
]);

export const COUNT_FIELDS: Readonly<Record<string, Shape>> = prompt;
export const CUSTOM_TOOL: Shape = customTool;
export const WEB_SEARCH_TOOL: Shape = webSearchTool;

/** Fields that exist only behind a beta header, and the family of that header. */
export const BETA_FIELDS: ReadonlyMap<string, string> = new Map([
  ['mcp_servers', 'mcp-client'],
  ['context_management', 'context-management'],
  ['speed', 'fast-mode'],
  ['diagnostics', 'cache-diagnosis'],
  ['fallbacks', 'server-side-fallback'],
  ['fallback_credit_token', 'server-side-fallback'],
  ['output_format', 'structured-outputs'],
  ['thread', 'message-threads'],
]);
