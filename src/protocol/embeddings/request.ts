import { isRefusal, type Refusal } from '../../kernel/errors.ts';
import { NINE, OPEN_BRACKET, ZERO } from '../bytes/ascii.ts';
import { compilePaths } from '../bytes/paths.ts';
import type { JsonScan } from '../bytes/scan.ts';
import { skipSpace } from '../bytes/skim.ts';
import type { ByteRange, RawRequest, RequestFacts } from '../dialect.ts';
import { TextSample } from '../meter/estimate.ts';
import { inputFacts } from '../meter/input-estimate.ts';
import { collectWords, compileWords } from '../meter/words.ts';
import { readModel, scanRequest } from '../pass-through/request.ts';

const TREE = compilePaths({ model: 'model', input: 'input' });
const { slots } = TREE;
const WORDS = compileWords({ text: ['input'] });

/** What every request for vectors has in common: no output, no images, no history. */
export const VECTORS_ONLY = {
  stream: false,
  outputTokensMax: 0,
  answers: 1,
  images: 0,
  holdsEnvelope: false,
  usageInjected: false,
  usageSplice: undefined,
  edit: false,
} as const;

export function readEmbeddingsRequest({
  body,
}: RawRequest): RequestFacts | Refusal | Promise<RequestFacts | Refusal> {
  return scanRequest(body, TREE, (scan) => readFacts(body, scan));
}

function readFacts(body: Buffer, scan: JsonScan): RequestFacts | Refusal {
  const model = readModel(body, scan.found[slots.model]);
  if (isRefusal(model)) return model;
  const input = inputFacts(body, scan, { protocol: 'embeddings', model: model.model });
  const hasIds = isTokenIds(body, scan.found[slots.input]?.at(-1));
  return {
    ...model,
    ...VECTORS_ONLY,
    // Every id of a token is a value, and so is every text. None of them counts less than one token.
    inputTokensEstimate: Math.max(input.inputTokensEstimate, scan.values),
    inputTokensLikely: hasIds ? scan.values : input.inputTokensLikely,
  };
}

/** The input may consist of the ids of tokens, in one list or in many. */
function isTokenIds(body: Buffer, range: ByteRange | undefined): boolean {
  if (range === undefined || body[range.start] !== OPEN_BRACKET) return false;
  const first = body[skipSpace(body, range.start + 1, range.end)] ?? 0;
  return first === OPEN_BRACKET || (first >= ZERO && first <= NINE);
}

/** The texts by the tokenizer; ids are tokens already. */
export function countEmbeddingsInput(
  { body }: RawRequest,
  { inputTokensLikely }: Pick<RequestFacts, 'inputTokensLikely'>,
): number {
  const sample = new TextSample();
  collectWords({ bytes: body, start: 0, end: body.length }, WORDS, sample);
  const tokens = sample.tokens();
  return tokens === 0 ? (inputTokensLikely ?? 0) : tokens;
}
