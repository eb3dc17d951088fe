import { MEDIA_HEAD_BYTES } from '../../bounds.ts';
import { isRefusal, type Refusal, refuse } from '../../kernel/errors.ts';
import type { FormPart, RawRequest, RequestFacts } from '../dialect.ts';
import { newForm } from '../images/form.ts';
import { type FormFields, findText, isMultipart, readForm, readFormModel } from '../images/multipart.ts';
import { INPUT_ONLY } from '../input-only/dialect.ts';
import { findFormat } from '../media/header.ts';
import { countSeconds, mostSeconds } from '../media/seconds.ts';
import { tokenRates } from '../media/tokens.ts';

const METERED = ['model', 'stream'];
const FIELDS: FormFields = {
  metered: new Set(METERED),
  files: /^file$/,
  known: new Set([...METERED, 'file']),
};
/** Nobody speaks faster than this. */
const TEXT_TOKENS_PER_SECOND = 8;
/** A short sound has some words too. */
const TEXT_TOKENS_MIN = 100;
const PROMPT_BYTES_PER_TOKEN = 3;

/** A form with a file, and nothing else: no vendor takes sound in JSON here. */
export function readTranscriptionRequest(
  request: RawRequest,
): RequestFacts | Refusal | Promise<RequestFacts | Refusal> {
  if (!isMultipart(request.contentType)) {
    return refuse('bodyNotJson', { message: 'Send the sound as a file of a multipart form' });
  }
  return readForm(request, FIELDS, (parts) => readFacts(request.body, parts));
}

function readFacts(body: Buffer, parts: readonly FormPart[]): RequestFacts | Refusal {
  const model = readFormModel(body, parts);
  if (isRefusal(model)) return model;
  const flags = parts.filter(({ name }) => name === 'stream');
  if (flags.length > 1) return refuse('bodyNotJson', { message: '"stream" comes more than once' });
  const stream = findText(body, flags[0]) ?? 'false';
  if (stream !== 'true' && stream !== 'false') {
    return refuse('bodyNotJson', { message: '"stream" must be true or false' });
  }
  return {
    model,
    modelRanges: [],
    ...INPUT_ONLY,
    stream: stream === 'true',
    ...estimate(body, parts, model),
    form: newForm(parts),
  };
}

type Estimate = Pick<
  RequestFacts,
  'inputTokensEstimate' | 'inputTokensLikely' | 'outputTokensMax' | 'secondsMost'
>;

/** By the length of the sound: its tokens or its seconds, and as many words as anybody can say in it. */
function estimate(body: Buffer, parts: readonly FormPart[], model: string): Estimate {
  let seconds = 0;
  let secondsMost = 0;
  let textBytes = 0;
  for (const { name, content } of parts) {
    const bytes = content.end - content.start;
    const head = body.subarray(content.start, Math.min(content.end, content.start + MEDIA_HEAD_BYTES));
    if (name === 'file') {
      const format = findFormat(head) ?? 'ogg';
      seconds += countSeconds(format, head, bytes);
      secondsMost += mostSeconds(format, head, bytes);
    } else textBytes += bytes;
  }
  const { soundSecond } = tokenRates('transcriptions', model);
  return {
    inputTokensEstimate: Math.ceil(seconds * soundSecond + textBytes / PROMPT_BYTES_PER_TOKEN),
    inputTokensLikely: seconds,
    secondsMost,
    outputTokensMax: seconds * TEXT_TOKENS_PER_SECOND + TEXT_TOKENS_MIN,
  };
}
