import { isRefusal, type Refusal } from '../../../kernel/errors.ts';
import { QUOTE } from '../../bytes/ascii.ts';
import type { JsonScan } from '../../bytes/scan.ts';
import { isWord } from '../../bytes/skim.ts';
import type { ByteRange, MemoryFacts, RawRequest, RequestFacts } from '../../dialect.ts';
import { isTooMuch } from '../../hub/content/value-budget.ts';
import { compileMediaKeys } from '../../media/finder.ts';
import { inputFacts } from '../../meter/input-estimate.ts';
import { compileMembers } from '../../pass-through/metered-keys.ts';
import { foundLimit, foundTrue, readModel, scanRequest } from '../../pass-through/request.ts';
import { mayHoldImageTool } from './pictures.ts';
import { ReferenceWatch } from './references.ts';

const TREE = compileMembers({
  model: ['model', 'any'],
  stream: ['stream', 'flag'],
  outputMax: ['max_output_tokens', 'limit'],
  input: ['input', 'text', 'list'],
  previous: ['previous_response_id', 'text'],
  store: ['store', 'flag'],
  background: ['background', 'flag'],
  conversation: ['conversation', 'text', 'object'],
  prompt: ['prompt', 'any'],
  tools: ['tools', 'list'],
  text: ['text', 'object'],
  format: ['text.format', 'object'],
});
const { slots } = TREE;
export const RESPONSES_MEMBERS = TREE.members;
const LIMITS = [slots.outputMax];
const MEDIA = compileMediaKeys({
  raw: ['tools', 'text'],
  part: ['image_url', 'file_data', 'file_url', 'file_id', 'input_audio', 'result'],
  inner: ['url', 'data'],
});
const NOWHERE: readonly ByteRange[] = [];

export function readResponsesRequest(
  request: RawRequest,
): RequestFacts | Refusal | Promise<RequestFacts | Refusal> {
  const items = new ReferenceWatch(slots.input);
  const read = (scan: JsonScan): RequestFacts | Refusal => readFacts(request.body, scan, items);
  return scanRequest(request.body, TREE, read, { media: MEDIA, items });
}

function readFacts(body: Buffer, scan: JsonScan, items: ReferenceWatch): RequestFacts | Refusal {
  const { found } = scan;
  const model = readModel(body, found[slots.model]);
  if (isRefusal(model)) return model;
  const about = {
    protocol: 'responses',
    model: model.model,
    tools: found[slots.tools]?.at(-1),
    hasFormat: found[slots.format] !== undefined,
  } as const;
  const input = inputFacts(body, scan, about);
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
    imageTool: found[slots.tools]?.some((tools) => mayHoldImageTool(body, tools)) ?? false,
    memory: readMemory(body, scan, items),
  };
}

function readMemory(body: Buffer, scan: JsonScan, items: ReferenceWatch): MemoryFacts {
  const { found } = scan;
  const inputs = found[slots.input] ?? NOWHERE;
  const previous = found[slots.previous] ?? NOWHERE;
  const conversation = (found[slots.conversation] ?? NOWHERE).filter((at) => isGiven(body, [at]));
  const store = found[slots.store]?.at(-1);
  return {
    inputs,
    previous,
    conversation,
    // Every occurrence, because we cannot know which one a vendor reads.
    refers: items.mayRefer || conversation.length > 0 || previous.some(({ start }) => body[start] === QUOTE),
    isTooMuch: isTooMuch(scan),
    keep: store === undefined || !isWord(body, store.start, store.end, 'false'),
    background: (found[slots.background] ?? NOWHERE).filter(({ start, end }) =>
      isWord(body, start, end, 'true'),
    ),
    unserved: isGiven(body, found[slots.prompt]) ? 'prompt' : undefined,
  };
}

function isGiven(body: Buffer, ranges: readonly ByteRange[] = NOWHERE): boolean {
  return ranges.some(({ start, end }) => !isWord(body, start, end, 'null'));
}
