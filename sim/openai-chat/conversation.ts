import { invalid } from '../openai/error.ts';
import type { Reply } from '../request/ask.ts';
import { type Json, record, records, string } from '../request/json.ts';

/** Every tool message answers a call of the assistant message before it, and every call is answered. */
export function refuseToolOrder(messages: readonly Json[]): Reply | undefined {
  let open: Set<string> | undefined;
  let openAt = 0;
  for (const [index, message] of messages.entries()) {
    if (message.role === 'tool') {
      if (open === undefined) return orphanTool(index);
      if (!open.delete(string(message.tool_call_id))) return orphanTool(index);
      continue;
    }
    if (open !== undefined && open.size > 0) return unanswered(open, openAt);
    const calls = records(message.tool_calls).map((call) => string(call.id));
    open = message.role === 'assistant' && calls.length > 0 ? new Set(calls) : undefined;
    openAt = index;
  }
  return open !== undefined && open.size > 0 ? unanswered(open, openAt) : undefined;
}

function orphanTool(index: number): Reply {
  return invalid(
    "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with " +
      "'tool_calls'.",
    `messages.[${index}].role`,
    null,
  );
}

function unanswered(open: ReadonlySet<string>, index: number): Reply {
  return invalid(
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each " +
      "'tool_call_id'. The following tool_call_ids did not have response messages: " +
      [...open].join(', '),
    `messages.[${index}].role`,
    null,
  );
}

/** Files come as a data address with a name that fits, or by id. */
export function refuseFiles(messages: readonly Json[]): Reply | undefined {
  for (const [index, message] of messages.entries()) {
    for (const [at, part] of records(message.content).entries()) {
      if (part.type !== 'file') continue;
      const param = `messages[${index}].content[${at}].file`;
      const refusal = refuseFile(record(part.file), param);
      if (refusal !== undefined) return refusal;
    }
  }
  return undefined;
}

function refuseFile(file: Json, param: string): Reply | undefined {
  if (file.file_data === undefined && file.file_id === undefined) {
    return invalid(
      `Missing required parameter: '${param}.file_id'.`,
      `${param}.file_id`,
      'missing_required_parameter',
    );
  }
  if (file.file_data === undefined) return undefined;
  if (file.filename === undefined) {
    return invalid(
      `Missing required parameter: '${param}.filename'.`,
      `${param}.filename`,
      'missing_required_parameter',
    );
  }
  const media = /^data:([a-z0-9.+/-]{1,100});base64,/i.exec(string(file.file_data))?.[1];
  if (media === undefined) {
    return invalid(
      `Invalid '${param}.file_data'. Expected a base64-encoded data URL with a valid file MIME type ` +
        "(e.g. 'data:application/pdf;base64,SGVsbG8='), but got a value without one.",
      `${param}.file_data`,
      'invalid_value',
    );
  }
  const isPdf = string(file.filename).toLowerCase().endsWith('.pdf');
  if (isPdf === (media === 'application/pdf')) return undefined;
  return invalid(
    `Invalid file data: '${param}.file_data'. The MIME type '${media}' does not match the file ` +
      `'${string(file.filename)}'.`,
    `${param}.file_data`,
    'invalid_value',
  );
}
