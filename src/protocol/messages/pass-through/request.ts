import { isRefusal, type Refusal } from '../../../kernel/errors.ts';
import type { JsonScan } from '../../bytes/scan.ts';
import type { RawRequest, RequestFacts } from '../../dialect.ts';
import { compileMediaKeys } from '../../media/finder.ts';
import { inputFacts } from '../../meter/input-estimate.ts';
import { compileMembers } from '../../pass-through/metered-keys.ts';
import { foundLimit, foundTrue, readModel, scanRequest } from '../../pass-through/request.ts';

const TREE = compileMembers({
  model: ['model', 'any'],
  stream: ['stream', 'flag'],
  outputMax: ['max_tokens', 'limit'],
  thinking: ['thinking', 'object'],
  thinkingMax: ['thinking.budget_tokens', 'limit'],
  tools: ['tools', 'list'],
  format: ['output_config', 'object'],
  servers: ['mcp_servers', 'list'],
});
const { slots } = TREE;
export const MESSAGES_MEMBERS = TREE.members;
const LIMITS = [slots.outputMax];

const WATCHED = {
  media: compileMediaKeys({
    raw: ['tools', 'input', 'output_config'],
    part: ['source'],
    inner: ['data', 'url', 'file_id'],
  }),
};

export function readMessagesRequest({
  body,
}: RawRequest): RequestFacts | Refusal | Promise<RequestFacts | Refusal> {
  return scanRequest(body, TREE, (scan) => readFacts(body, scan), WATCHED);
}

function readFacts(body: Buffer, scan: JsonScan): RequestFacts | Refusal {
  const { found } = scan;
  const model = readModel(body, found[slots.model]);
  if (isRefusal(model)) return model;
  const tools = found[slots.tools]?.at(-1);
  const hasFormat = found[slots.format] !== undefined;
  const extra = found[slots.servers] === undefined ? 0 : MCP_SERVERS_TOKENS;
  const input = inputFacts(body, scan, { protocol: 'messages', model: model.model, tools, hasFormat, extra });
  return {
    ...model,
    stream: foundTrue(body, found[slots.stream]),
    outputTokensMax: foundLimit(body, scan, LIMITS),
    answers: 1,
    images: 0,
    inputTokensEstimate: input.inputTokensEstimate,
    inputTokensLikely: input.inputTokensLikely,
    mediaTokens: input.mediaTokens,
    holdsEnvelope: scan.holdsEnvelope,
    usageInjected: false,
    usageSplice: undefined,
    edit: false,
  };
}

/** The tools of an MCP server are part of the input, and they are unknown here. */
const MCP_SERVERS_TOKENS = 4_000;
