import type { OpenaiModel } from '../models.ts';
import { firstRefusal, refuseEffort, refuseSampling } from '../openai/capability.ts';
import { describe, invalid } from '../openai/error.ts';
import { parametersProblem, strictProblem } from '../openai/strict-schema.ts';
import type { Reply } from '../request/ask.ts';
import { check } from '../request/check.ts';
import { type Json, record, records, string, strings } from '../request/json.ts';
import type { Problem, Shape } from '../request/shape.ts';
import { refuseItems } from './conversation.ts';
import { recall } from './memory.ts';
import { inputItems, itemText, responsesInputTokens } from './read.ts';

/** The first thing that is wrong with a request, in the words of the vendor (rule V-4). */
export function refuseResponses(
  body: Json,
  { model, shape, key }: { model: OpenaiModel | undefined; shape: Shape; key: string },
): Reply | undefined {
  const [problem] = check(shape, body);
  if (problem !== undefined) return reword(problem);
  if (model === undefined) return undefined;
  return firstRefusal([
    () => refuseInput(body),
    () => refusePrevious(body),
    () => refuseItems(inputItems(body), key),
    () => refuseTools(body),
    () => refuseChoice(body),
    () => refuseFormat(body),
    () => refuseOptions(body),
    () => refuseReasoning(body, model),
    () => refuseSampling(body, model, record(body.reasoning).effort),
    () => refuseContext(body, model),
  ]);
}

/** Empty ids fail their pattern; the vendor calls that an empty string. */
function reword(problem: Problem): Reply {
  const made = describe(problem);
  if (problem.code !== 'pattern' || problem.got !== '') return made;
  const param = string(record(record(JSON.parse(made.body)).error).param);
  return invalid(
    `Invalid '${param}': empty string. Expected a string with minimum length 1, ` +
      'but got an empty string instead.',
    param,
    'empty_string',
  );
}

function refuseInput(body: Json): Reply | undefined {
  const given = body.input ?? body.prompt ?? body.conversation ?? body.previous_response_id;
  if (given !== undefined) return undefined;
  return invalid(
    "Missing required parameter: 'input'. Provide one of 'input', 'previous_response_id', 'prompt' or " +
      "'conversation'.",
    'input',
    'missing_required_parameter',
  );
}

function refusePrevious(body: Json): Reply | undefined {
  const previous = body.previous_response_id;
  if (typeof previous !== 'string') return undefined;
  if (body.conversation !== undefined && body.conversation !== null) {
    return invalid(
      "Mutually exclusive parameters: 'previous_response_id' and 'conversation'. Ensure you are only " +
        'providing one of them.',
      'previous_response_id',
      'mutually_exclusive_parameters',
    );
  }
  if (recall(previous) !== undefined) return undefined;
  const message = `Previous response with id '${previous}' not found.`;
  return invalid(message, 'previous_response_id', 'previous_response_not_found');
}

function refuseTools(body: Json): Reply | undefined {
  for (const [index, tool] of records(body.tools).entries()) {
    if (tool.type !== 'function') continue;
    const problem = parametersProblem(record(tool.parameters), tool.strict);
    if (problem === undefined) continue;
    const message = `Invalid schema for function '${string(tool.name)}': ${problem}`;
    return invalid(message, `tools[${index}].parameters`, 'invalid_function_parameters');
  }
  return undefined;
}

function refuseChoice(body: Json): Reply | undefined {
  const choice = record(body.tool_choice);
  const tools = records(body.tools);
  if (body.tool_choice === 'required' && tools.length === 0) {
    return invalid("Tool choice 'required' must be specified with 'tools' parameter.", 'tool_choice', null);
  }
  if (choice.type !== 'function' && choice.type !== 'custom') return undefined;
  const names = tools.flatMap((tool) => [tool, ...records(tool.tools)]).map((tool) => tool.name);
  if (names.includes(choice.name)) return undefined;
  return invalid(`Tool choice '${string(choice.name)}' not found in 'tools' parameter.`, 'tool_choice', null);
}

function refuseFormat(body: Json): Reply | undefined {
  const format = record(record(body.text).format);
  if (format.type === 'json_object') {
    const said = [string(body.instructions), ...inputItems(body).map(itemText)];
    if (said.some((text) => /json/i.test(text))) return undefined;
    return invalid(
      "Response input messages must contain the word 'json' in some form to use 'text.format' of type " +
        "'json_object'.",
      'input',
      null,
    );
  }
  const problem = format.strict === true ? strictProblem(record(format.schema)) : undefined;
  if (problem === undefined) return undefined;
  const message = `Invalid schema for response_format '${string(format.name)}': ${problem}`;
  return invalid(message, 'text.format.schema', 'invalid_json_schema');
}

function refuseOptions(body: Json): Reply | undefined {
  if (body.stream_options !== undefined && body.stream_options !== null && body.stream !== true) {
    const message = "The 'stream_options' parameter is only allowed when 'stream' is enabled.";
    return invalid(message, 'stream_options', null);
  }
  const included = strings(body.include).includes('message.output_text.logprobs');
  if (typeof body.top_logprobs !== 'number' || body.top_logprobs === 0 || included) return undefined;
  return invalid(
    "'top_logprobs' is only allowed when 'message.output_text.logprobs' is in 'include'.",
    'top_logprobs',
    null,
  );
}

function refuseReasoning(body: Json, model: OpenaiModel): Reply | undefined {
  const { effort, summary } = record(body.reasoning);
  if (model.kind !== 'reasoning' && summary !== undefined && summary !== null) {
    const message = "Unsupported parameter: 'reasoning.summary' is not supported with this model.";
    return invalid(message, 'reasoning.summary', 'unsupported_parameter');
  }
  const search = records(body.tools).find(({ type }) => string(type).startsWith('web_search'));
  if (effort === 'minimal' && search !== undefined) {
    const message = `The following tools cannot be used with reasoning.effort 'minimal': ${String(search.type)}.`;
    return invalid(message, 'tools', null);
  }
  return refuseEffort(effort, model, 'reasoning.effort');
}

function refuseContext(body: Json, model: OpenaiModel): Reply | undefined {
  if (responsesInputTokens(body) <= model.contextTokens) return undefined;
  const message =
    'Your input exceeds the context window of this model. Please adjust your input and try again.';
  return invalid(message, 'input', 'context_length_exceeded');
}
