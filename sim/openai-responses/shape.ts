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
const ID_LENGTH_MAX = 64;
const id = text({ max: ID_LENGTH_MAX });
const callId = text({ max: ID_LENGTH_MAX, pattern: /^[\s\S]+$/ });
const status = oneOf('in_progress', 'completed', 'incomplete');
const cacheBreakpoint = struct({ 'mode!': oneOf('explicit'), ttl: text() });

const inputPart = variant('type', {
  input_text: struct({ 'type!': text(), 'text!': text(), prompt_cache_breakpoint: cacheBreakpoint }),
  input_image: struct({
    'type!': text(),
    image_url: text(),
    file_id: text(),
    detail: oneOf('auto', 'low', 'high', 'original'),
    prompt_cache_breakpoint: cacheBreakpoint,
  }),
  input_file: struct({
    'type!': text(),
    file_data: text(),
    file_id: text(),
    file_url: text(),
    filename: text(),
    detail: text(),
    prompt_cache_breakpoint: cacheBreakpoint,
  }),
});
const outputPart = variant('type', {
  output_text: struct({ 'type!': text(), 'text!': text(), annotations: anything, logprobs: anything }),
  refusal: struct({ 'type!': text(), 'refusal!': text() }),
});

const message = (part: Shape): Shape =>
  struct({
    type: oneOf('message'),
    id,
    'role!': text(),
    'content!': either(text(), list(part)),
    status,
    phase: oneOf('commentary', 'final_answer'),
  });

const messageByRole = variant('role', {
  user: message(inputPart),
  system: message(inputPart),
  developer: message(inputPart),
  assistant: message(outputPart),
});

const toolOutput = either(text(), list(inputPart));

/** Items that vendor tools leave behind are the vendor's own; their inside is not checked here. */
const HOSTED = [
  'web_search_call',
  'file_search_call',
  'code_interpreter_call',
  'image_generation_call',
  'computer_call',
  'computer_call_output',
  'local_shell_call',
  'local_shell_call_output',
  'shell_call',
  'shell_call_output',
  'apply_patch_call',
  'apply_patch_call_output',
  'mcp_list_tools',
  'mcp_approval_request',
  'mcp_approval_response',
  'mcp_call',
  'compaction',
  'additional_tools',
  'tool_search_call',
  'tool_search_output',
  'compaction_trigger',
  'program',
  'program_output',
];

export const INPUT_ITEM: Shape = variant(
  'type',
  {
    message: messageByRole,
    function_call: struct({
      'type!': text(),
      id,
      'call_id!': callId,
      'name!': text(),
      namespace: text(),
      'arguments!': text(),
      status,
      created_by: text(),
      caller: anything,
    }),
    function_call_output: struct({
      'type!': text(),
      id,
      'call_id!': callId,
      'output!': toolOutput,
      name: text(),
      namespace: text(),
      status,
      caller: anything,
    }),
    custom_tool_call: struct({
      'type!': text(),
      id,
      'call_id!': callId,
      'name!': text(),
      namespace: text(),
      'input!': text(),
      status,
      caller: anything,
    }),
    custom_tool_call_output: struct({
      'type!': text(),
      id,
      'call_id!': callId,
      'output!': toolOutput,
      status,
      caller: anything,
    }),
    reasoning: struct({
      'type!': text(),
      id,
      'summary!': list(struct({ 'type!': oneOf('summary_text'), 'text!': text() })),
      content: list(anything, { max: 0 }),
      encrypted_content: text(),
      status,
    }),
    item_reference: struct({ type: text(), 'id!': id }),
    ...Object.fromEntries(HOSTED.map((name) => [name, map(anything)])),
  },
  'message',
);

const userLocation = struct({
  type: oneOf('approximate'),
  city: text(),
  country: text(),
  region: text(),
  timezone: text(),
});
const searchRest = {
  'type!': text(),
  search_content_types: list(oneOf('text', 'image')),
  search_context_size: oneOf('low', 'medium', 'high'),
  user_location: userLocation,
};
const webSearch = struct({
  ...searchRest,
  external_web_access: flag,
  filters: struct({ allowed_domains: list(text()) }),
});
const webSearchPreview = struct(searchRest);
const SEARCH_TOOLS = {
  web_search: webSearch,
  web_search_2025_08_26: webSearch,
  web_search_preview: webSearchPreview,
  web_search_preview_2025_03_11: webSearchPreview,
};

const HOSTED_TOOLS = [
  'file_search',
  'code_interpreter',
  'image_generation',
  'computer',
  'computer_use_preview',
  'local_shell',
  'shell',
  'apply_patch',
  'mcp',
  'tool_search',
  'namespace',
  'programmatic_tool_calling',
];

const tool = variant('type', {
  function: struct({
    'type!': text(),
    'name!': text({ pattern: NAME }),
    description: text(),
    'parameters!': either(map(anything), anything),
    strict: flag,
    defer_loading: flag,
    output_schema: anything,
    allowed_callers: list(text()),
  }),
  custom: struct({
    'type!': text(),
    'name!': text({ pattern: NAME }),
    description: text(),
    format: anything,
    defer_loading: flag,
    allowed_callers: list(text()),
  }),
  ...SEARCH_TOOLS,
  ...Object.fromEntries(HOSTED_TOOLS.map((name) => [name, map(anything)])),
});

const CHOSEN_TOOLS = [...Object.keys(SEARCH_TOOLS), ...HOSTED_TOOLS, 'computer_use'];

const toolChoice = either(
  oneOf('none', 'auto', 'required'),
  variant('type', {
    function: struct({ 'type!': text(), 'name!': text() }),
    custom: struct({ 'type!': text(), 'name!': text() }),
    allowed_tools: struct({ 'type!': text(), 'mode!': oneOf('auto', 'required'), 'tools!': list(anything) }),
    ...Object.fromEntries(CHOSEN_TOOLS.map((name) => [name, map(anything)])),
  }),
);

const format = variant('type', {
  text: struct({ 'type!': text() }),
  json_object: struct({ 'type!': text() }),
  json_schema: struct({
    'type!': text(),
    'name!': text({ pattern: NAME }),
    description: text(),
    'schema!': map(anything),
    strict: flag,
  }),
});

const effort = oneOf('none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max');

export const RESPONSES_REQUEST: Shape = struct({
  'model!': text(),
  input: either(text(), list(INPUT_ITEM)),
  background: flag,
  // In no specification, but the vendor's own agent sends it with every request.
  client_metadata: map(text(), 64),
  context_management: anything,
  conversation: anything,
  include: list(text()),
  instructions: text(),
  max_output_tokens: integer(16),
  max_tool_calls: integer(1),
  metadata: map(text({ max: 512 }), 16),
  moderation: anything,
  parallel_tool_calls: flag,
  previous_response_id: text(),
  prompt: anything,
  prompt_cache_key: text(),
  prompt_cache_options: anything,
  prompt_cache_retention: oneOf('in-memory', 'in_memory', '24h'),
  reasoning: struct({
    effort,
    summary: oneOf('auto', 'concise', 'detailed'),
    generate_summary: oneOf('auto', 'concise', 'detailed'),
    context: oneOf('auto', 'current_turn', 'all_turns'),
    mode: text(),
  }),
  safety_identifier: text(),
  service_tier: oneOf('auto', 'default', 'flex', 'scale', 'priority', 'fast', 'ultrafast'),
  store: flag,
  stream: flag,
  stream_options: struct({ include_obfuscation: flag }),
  temperature: number(0, 2),
  text: struct({ format, verbosity: oneOf('low', 'medium', 'high') }),
  tool_choice: toolChoice,
  tools: list(tool),
  top_logprobs: integer(0, 20),
  top_p: number(0, 1),
  truncation: oneOf('auto', 'disabled'),
  user: text(),
});

/** A compaction takes the input and how it is cached, and nothing of what makes an answer. */
export const COMPACT_REQUEST: Shape = struct({
  'model!': text(),
  image: anything,
  input: either(text(), list(INPUT_ITEM)),
  instructions: text(),
  previous_response_id: text(),
  prompt_cache_key: text(),
  prompt_cache_options: anything,
  prompt_cache_retention: oneOf('in_memory', '24h'),
  service_tier: text(),
});

/** Counting takes what makes the input, and nothing of what makes the answer. */
export const INPUT_TOKENS_REQUEST: Shape = struct({
  'model!': text(),
  input: either(text(), list(INPUT_ITEM)),
  conversation: anything,
  instructions: text(),
  parallel_tool_calls: flag,
  personality: text({ max: 64 }),
  previous_response_id: text(),
  reasoning: anything,
  text: struct({ format, verbosity: oneOf('low', 'medium', 'high') }),
  tool_choice: toolChoice,
  tools: list(tool),
  truncation: oneOf('auto', 'disabled'),
});
