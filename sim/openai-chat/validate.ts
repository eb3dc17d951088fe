import type { OpenaiModel } from '../models.ts';
import { firstRefusal, refuseEffort, refuseSampling } from '../openai/capability.ts';
import { describe, invalid, openaiError } from '../openai/error.ts';
import { parametersProblem, strictProblem } from '../openai/strict-schema.ts';
import type { Reply } from '../request/ask.ts';
import { check } from '../request/check.ts';
import { type Json, numeric, record, records, string } from '../request/json.ts';
import { refuseFiles, refuseToolOrder } from './conversation.ts';
import { chatInputTokens, messageText } from './read.ts';
import { CHAT_REQUEST } from './shape.ts';

/** The first thing that is wrong with a request, in the words of the vendor (rule V-2). */
export function refuseChat(body: Json, model: OpenaiModel | undefined): Reply | undefined {
  const [problem] = check(CHAT_REQUEST, body);
  if (problem?.code === 'unknown' && problem.path.length === 1) return unrecognized(String(problem.path[0]));
  if (problem !== undefined) return describe(problem);
  if (model === undefined) return undefined;
  const messages = records(body.messages);
  return firstRefusal([
    () => refuseToolOrder(messages),
    () => refuseFiles(messages),
    () => refuseTools(body),
    () => refuseChoice(body),
    () => refuseFormat(body, messages),
    () => refuseOptions(body),
    () => refuseSearch(body, model),
    () => refuseLength(body, model),
    () => refuseReasoning(body, model),
    () => refuseSampling(body, model, body.reasoning_effort),
    () => refuseContext(body, model),
  ]);
}

function unrecognized(name: string): Reply {
  return openaiError(400, { message: `Unrecognized request argument supplied: ${name}` });
}

function refuseTools(body: Json): Reply | undefined {
  if (body.tools === undefined || body.tools === null) return undefined;
  const tools = records(body.tools);
  if (tools.length === 0) return openaiError(400, { message: "[] is too short - 'tools'" });
  for (const [index, tool] of tools.entries()) {
    const definition = record(tool.function);
    const problem = parametersProblem(record(definition.parameters), definition.strict);
    if (problem === undefined) continue;
    const message = `Invalid schema for function '${string(definition.name)}': ${problem}`;
    return invalid(message, `tools[${index}].function.parameters`, 'invalid_function_parameters');
  }
  return undefined;
}

function refuseChoice(body: Json): Reply | undefined {
  const tools = records(body.tools);
  const wanted = record(body.function_call).name;
  const declared = records(body.functions).map(({ name }) => name);
  if (body.function_call !== undefined && body.function_call !== null && declared.length === 0) {
    const message = "'function_call' is only allowed when 'functions' are specified.";
    return invalid(message, 'function_call', null);
  }
  if (wanted !== undefined && !declared.includes(wanted)) {
    return invalid(`Function '${String(wanted)}' is not in 'functions'.`, 'function_call', null);
  }
  const { tool_choice: choice, parallel_tool_calls: parallel } = body;
  if (tools.length === 0) {
    const given = choice !== undefined && choice !== null && choice !== 'none' ? 'tool_choice' : undefined;
    const name = given ?? (typeof parallel === 'boolean' ? 'parallel_tool_calls' : undefined);
    if (name === undefined) return undefined;
    const message = `Invalid value for '${name}': '${name}' is only allowed when 'tools' are specified.`;
    return invalid(message, name, null);
  }
  const named = record(record(choice).function ?? record(choice).custom).name;
  if (typeof named !== 'string') return undefined;
  const names = tools.map((tool) => record(tool.function ?? tool.custom).name);
  if (names.includes(named)) return undefined;
  return invalid(`Tool choice '${named}' not found in 'tools' parameter.`, 'tool_choice', null);
}

function refuseFormat(body: Json, messages: readonly Json[]): Reply | undefined {
  const format = record(body.response_format);
  if (format.type === 'json_object' && !messages.some((message) => /json/i.test(messageText(message)))) {
    return invalid(
      "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.",
      'messages',
      null,
    );
  }
  const schema = record(format.json_schema);
  const problem = schema.strict === true ? strictProblem(record(schema.schema)) : undefined;
  if (problem === undefined) return undefined;
  const message = `Invalid schema for response_format '${string(schema.name)}': ${problem}`;
  return invalid(message, 'response_format', 'invalid_json_schema');
}

function refuseOptions(body: Json): Reply | undefined {
  if (body.stream_options !== undefined && body.stream_options !== null && body.stream !== true) {
    const message = "The 'stream_options' parameter is only allowed when 'stream' is enabled.";
    return invalid(message, 'stream_options', null);
  }
  if (typeof body.top_logprobs === 'number' && body.logprobs !== true) {
    const message = "The 'top_logprobs' parameter is only allowed when 'logprobs' is enabled.";
    return invalid(message, 'top_logprobs', null);
  }
  if (Object.keys(record(body.metadata)).length > 0 && body.store !== true) {
    const message = "The 'metadata' parameter is only allowed when 'store' is enabled.";
    return invalid(message, 'metadata', null);
  }
  const long = Object.keys(record(body.metadata)).find((name) => name.length > METADATA_NAME_LENGTH_MAX);
  if (long === undefined) return undefined;
  return invalid(
    `Invalid 'metadata': key too long. Expected a maximum length of ${METADATA_NAME_LENGTH_MAX}.`,
    'metadata',
    'string_above_max_length',
  );
}

const METADATA_NAME_LENGTH_MAX = 64;

/** What a model that searches does not take. */
const UNSEARCHABLE = ['frequency_penalty', 'presence_penalty', 'temperature', 'top_p'];

/** Some models always search, all others never do. */
function refuseSearch(body: Json, model: OpenaiModel): Reply | undefined {
  const isSaid = (name: string): boolean => body[name] !== undefined && body[name] !== null;
  if (model.search === 'always') {
    const wrong = UNSEARCHABLE.filter(isSaid);
    if (wrong.length === 0) return undefined;
    const argument = wrong.length === 1 ? 'argument' : 'arguments';
    const message = `Model incompatible request ${argument} supplied: ${wrong.join(', ')}`;
    return openaiError(400, { message });
  }
  if (!isSaid('web_search_options')) return undefined;
  if (model.kind === 'chat') {
    return openaiError(400, { message: 'Web search options not supported with this model.' });
  }
  return invalid("Unknown parameter: 'web_search_options'.", 'web_search_options', 'unknown_parameter');
}

function refuseLength(body: Json, model: OpenaiModel): Reply | undefined {
  const old = numeric(body.max_tokens);
  const current = numeric(body.max_completion_tokens);
  if (old !== undefined && model.kind === 'reasoning') {
    return invalid(
      "Unsupported parameter: 'max_tokens' is not supported with this model. " +
        "Use 'max_completion_tokens' instead.",
      'max_tokens',
      'unsupported_parameter',
    );
  }
  if (old !== undefined && current !== undefined) {
    const message = "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.";
    return invalid(message, 'max_tokens', 'invalid_parameter_combination');
  }
  const limit = old ?? current ?? 0;
  if (limit <= model.outputTokensMax) return undefined;
  const name = old === undefined ? 'max_completion_tokens' : 'max_tokens';
  return invalid(
    `${name} is too large: ${limit}. This model supports at most ${model.outputTokensMax} completion tokens, ` +
      `whereas you provided ${limit}.`,
    name,
    'invalid_value',
  );
}

function refuseReasoning(body: Json, model: OpenaiModel): Reply | undefined {
  const effort = body.reasoning_effort;
  if (typeof effort === 'string' && model.kind !== 'reasoning') return unrecognized('reasoning_effort');
  const wrong = refuseEffort(effort, model, 'reasoning_effort');
  if (wrong !== undefined) return wrong;
  const functions = records(body.tools).some((tool) => tool.type === 'function');
  if (model.chatTools === 'with-reasoning' || effort === 'none' || !functions) return undefined;
  return invalid(
    `Function tools with reasoning_effort are not supported for ${model.name} in /v1/chat/completions. ` +
      "Please use /v1/responses or set reasoning_effort to 'none'.",
    'reasoning_effort',
    null,
  );
}

function refuseContext(body: Json, model: OpenaiModel): Reply | undefined {
  const tokens = chatInputTokens(body);
  if (tokens <= model.contextTokens) return undefined;
  return invalid(
    `This model's maximum context length is ${model.contextTokens} tokens. However, your messages ` +
      `resulted in ${tokens} tokens. Please reduce the length of the messages.`,
    'messages',
    'context_length_exceeded',
  );
}
