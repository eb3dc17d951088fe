import { READ_AGAIN_BYTES_MAX } from '../../bounds.ts';
import { isRefusal, type Refusal } from '../../kernel/errors.ts';
import { QUOTE } from '../bytes/ascii.ts';
import { compilePaths } from '../bytes/paths.ts';
import type { JsonScan } from '../bytes/scan.ts';
import { Skimmer } from '../bytes/skim.ts';
import { spliceModel } from '../bytes/splice.ts';
import { decodeText } from '../bytes/text.ts';
import type { ByteRange, Dialect, RequestFacts } from '../dialect.ts';
import { INPUT_ONLY } from '../input-only/dialect.ts';
import { type AnswerShape, readAnswer } from '../pass-through/answer.ts';
import { refuseMissing } from '../pass-through/member-kind.ts';
import { compileMembers } from '../pass-through/metered-keys.ts';
import { INPUT_ONLY_RULE } from '../pass-through/no-stream.ts';
import { readModel, scanRequest } from '../pass-through/request.ts';
import { BytesRelay } from './bytes-relay.ts';

/** What is spoken, and how. The last ones are those of other vendors. */
const TEXTS = ['input', 'instructions', 'text', 'ssml', 'prompt'] as const;
const TREE = compileMembers({
  model: ['model', 'any'],
  input: ['input', 'text'],
  instructions: ['instructions', 'text'],
  text: ['text', 'text'],
  ssml: ['ssml', 'text'],
  prompt: ['prompt', 'text'],
});
const { slots } = TREE;
const NOTHING = Buffer.alloc(0);

/**
 * A text becomes sound. It is charged by its characters and by those of what says how to speak, each of which
 * counts as one input token: they are known before, and a sound reports nothing (rule M-30).
 */
export const speech: Dialect = {
  protocol: 'speech',
  members: TREE.members,
  readRequest: ({ body }) => scanRequest(body, TREE, (scan) => readFacts(body, scan)),
  spliceRequest: ({ body }, facts, forwardModel) => spliceModel(body, facts, forwardModel),
  readResponse: (body, modelId) => readAnswer(body, ERROR_ONLY, modelId),
  relayStream: (_framing, facts) => new BytesRelay(facts.inputTokensEstimate),
  countInput: (_request, { inputTokensLikely = 0 }) => inputTokensLikely,
  // A sound has no place for an error: the connection is reset.
  encodeStreamError: () => NOTHING,
  keepAlive: () => NOTHING,
};

function readFacts(body: Buffer, scan: JsonScan): RequestFacts | Refusal {
  const model = readModel(body, scan.found[slots.model]);
  if (isRefusal(model)) return model;
  const missing = refuseMissing(body, 'input', scan.found[slots.input]?.at(-1));
  if (missing !== undefined) return missing;
  let characters = 0;
  for (const name of TEXTS) characters += countCharacters(body, scan.found[slots[name]]?.at(-1));
  return {
    ...model,
    ...INPUT_ONLY,
    stream: true,
    inputTokensEstimate: characters,
    inputTokensLikely: characters,
  };
}

/** No vendor takes a text of a megabyte, so such a text is not counted exactly. */
function countCharacters(body: Buffer, range: ByteRange | undefined): number {
  if (range === undefined || body[range.start] !== QUOTE) return 0;
  const bytes = range.end - range.start - 2;
  if (bytes > READ_AGAIN_BYTES_MAX) return bytes;
  let characters = 0;
  for (const _character of decodeText(body, range.start + 1, range.end - 1)) characters++;
  return characters;
}

const ERROR_TREE = compilePaths({ model: 'model', error: 'error' });

/** No sound is JSON: an object with an error is one, and any other object is nothing. */
const ERROR_ONLY: AnswerShape = {
  skimmer: new Skimmer(ERROR_TREE),
  model: ERROR_TREE.slots.model,
  error: ERROR_TREE.slots.error,
  signs: [],
  words: INPUT_ONLY_RULE.words,
  figures: () => ({}),
  settle: INPUT_ONLY_RULE.settle,
};
