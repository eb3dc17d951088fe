import { ANSWERS_PER_CALL_MAX, READ_AGAIN_BYTES_MAX } from '../../bounds.ts';
import { isRefusal, type Refusal, refuse } from '../../kernel/errors.ts';
import { NINE, OPEN_BRACKET, ZERO } from '../bytes/ascii.ts';
import type { JsonScan } from '../bytes/scan.ts';
import { countElements, skipSpace } from '../bytes/skim.ts';
import { findUsageSplice } from '../chat/pass-through/request.ts';
import type { ByteRange, RawRequest, RequestFacts } from '../dialect.ts';
import { inputFacts } from '../meter/input-estimate.ts';
import { compileMembers } from '../pass-through/metered-keys.ts';
import {
  boundAnswers,
  foundFigure,
  foundLimit,
  foundTrue,
  readModel,
  scanRequest,
} from '../pass-through/request.ts';

const TREE = compileMembers({
  model: ['model', 'any'],
  prompt: ['prompt', 'text', 'list'],
  stream: ['stream', 'flag'],
  answers: ['n', 'count'],
  // So many are written for each prompt, and the best of them are sent. All of them are billed.
  tried: ['best_of', 'count'],
  outputMax: ['max_tokens', 'limit'],
  streamOptions: ['stream_options', 'object'],
  includeUsage: ['stream_options.include_usage', 'flag'],
});
const { slots } = TREE;
export const COMPLETIONS_MEMBERS = TREE.members;
const ANSWERS = [slots.answers, slots.tried];
const LIMITS = [slots.outputMax];

export function readCompletionsRequest({
  body,
}: RawRequest): RequestFacts | Refusal | Promise<RequestFacts | Refusal> {
  return scanRequest(body, TREE, (scan) => readFacts(body, scan));
}

function readFacts(body: Buffer, scan: JsonScan): RequestFacts | Refusal {
  const last = (slot: number): ByteRange | undefined => scan.found[slot]?.at(-1);
  const model = readModel(body, scan.found[slots.model]);
  if (isRefusal(model)) return model;
  const prompt = last(slots.prompt);
  const answers = countPrompts(body, scan, prompt) * boundAnswers(foundFigure(body, scan, ANSWERS));
  if (answers > ANSWERS_PER_CALL_MAX) return refuse('notExpressible', { message: TOO_MANY });
  const stream = foundTrue(body, scan.found[slots.stream]);
  const usageSplice = stream
    ? findUsageSplice(body, last(slots.streamOptions), last(slots.includeUsage))
    : undefined;
  const input = inputFacts(body, scan, { protocol: 'completions', model: model.model });
  return {
    ...model,
    stream,
    outputTokensMax: foundLimit(body, scan, LIMITS),
    answers,
    images: 0,
    // Ids of tokens are values, and each of them is a token.
    inputTokensEstimate: Math.max(input.inputTokensEstimate, scan.values),
    inputTokensLikely: startsWithId(body, prompt) ? scan.values : input.inputTokensLikely,
    holdsEnvelope: false,
    usageInjected: usageSplice !== undefined,
    usageSplice,
    edit: false,
  };
}

const TOO_MANY = `A call has at most ${ANSWERS_PER_CALL_MAX} answers: the prompts times "n" or "best_of"`;

/** A text, or the ids of its tokens, is one prompt; a list of either has many. Long lists are not walked. */
function countPrompts(body: Buffer, { values }: JsonScan, prompt: ByteRange | undefined): number {
  if (prompt === undefined || body[prompt.start] !== OPEN_BRACKET || isId(firstOf(body, prompt))) return 1;
  if (prompt.end - prompt.start > READ_AGAIN_BYTES_MAX) return values;
  return Math.max(1, countElements(body, prompt.start));
}

function firstOf(body: Buffer, { start, end }: ByteRange): number {
  return body[skipSpace(body, start + 1, end)] ?? 0;
}

function isId(byte: number): boolean {
  return byte >= ZERO && byte <= NINE;
}

function startsWithId(body: Buffer, prompt: ByteRange | undefined): boolean {
  if (prompt === undefined || body[prompt.start] !== OPEN_BRACKET) return false;
  const first = firstOf(body, prompt);
  return first === OPEN_BRACKET || isId(first);
}
