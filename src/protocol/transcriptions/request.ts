import { FORM_SLICE_BYTES } from '../../bounds.ts';
import { isRefusal, type Refusal, refuse } from '../../kernel/errors.ts';
import { finishInTurns, finishNow, type Sliced } from '../bytes/slices.ts';
import type { FormPart, RawRequest, RequestFacts } from '../dialect.ts';
import { newForm } from '../images/form.ts';
import { type FormFields, findText, isMultipart, readForm, readFormModel } from '../images/multipart.ts';
import { INPUT_ONLY } from '../input-only/dialect.ts';
import { soundLength } from '../media/sound/length.ts';
import { SoundBytes } from '../media/sound/sound-bytes.ts';
import { tokenRates } from '../media/tokens.ts';
import { refuseOtherKind } from '../pass-through/member-kind.ts';

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
/** Dense text, and ordinary text. */
const PROMPT_BYTES_PER_TOKEN = 2;
const PROMPT_BYTES_PER_TOKEN_LIKELY = 4;
/** Languages, formats and flags have less. */
const FIELD_BYTES = 1_024;

/** Sound that the vendor fetches, or has stored: in a field named so, or in any field but `prompt`. */
const ADDRESS_FIELD = /(?:^|_)(?:ur[il]s?|file_?ids?)(?:\[\d{0,3}\])?$|[a-z]U(?:rl|RL|ri|RI)s?$|[a-z]FileId$/;
const ADDRESS = /^\s*(?:https?|ftp|gs|s3|oss|files):/i;
const ADDRESS_CHARS = 64;

/** A form with a file, and nothing else: no vendor takes sound in JSON here. */
export function readTranscriptionRequest(
  request: RawRequest,
): RequestFacts | Refusal | Promise<RequestFacts | Refusal> {
  if (!isMultipart(request.contentType)) {
    return refuse('bodyNotJson', { message: 'Send the sound as a file of a multipart form' });
  }
  return readForm(request, FIELDS, (parts) => readFacts(request.body, parts));
}

function readFacts(
  body: Buffer,
  parts: readonly FormPart[],
): RequestFacts | Refusal | Promise<RequestFacts | Refusal> {
  const model = readFormModel(body, parts);
  if (isRefusal(model)) return model;
  const flags = parts.filter(({ name }) => name === 'stream');
  if (flags.length > 1) return refuse('bodyNotJson', { message: '"stream" comes more than once' });
  const stream = findText(body, flags[0]) ?? 'false';
  if (stream !== 'true' && stream !== 'false') {
    return refuseOtherKind('stream', ['flag']);
  }
  const complaint = complaintAboutSound(body, parts);
  if (complaint !== undefined) return refuse('notExpressible', { message: complaint });
  const facts = (estimated: Estimate): RequestFacts => ({
    model,
    modelRanges: [],
    ...INPUT_ONLY,
    stream: stream === 'true',
    ...estimated,
    form: newForm(parts),
  });
  const work = estimate(body, parts, model);
  return body.length > FORM_SLICE_BYTES ? finishInTurns(work).then(facts) : facts(finishNow(work));
}

/** Only sound in the form can be counted. */
function complaintAboutSound(body: Buffer, parts: readonly FormPart[]): string | undefined {
  for (const part of parts) {
    const { name, content } = part;
    if (name === 'file') {
      if (part.file === undefined) return '"file" must be a file of the form, with a file name';
      continue;
    }
    const text = body.toString('latin1', content.start, Math.min(content.end, content.start + ADDRESS_CHARS));
    if (ADDRESS_FIELD.test(name) || (name !== 'prompt' && ADDRESS.test(text))) {
      return `Send the sound as "file": what "${name}" refers to cannot be counted`;
    }
  }
  return parts.some(({ name }) => name === 'file')
    ? undefined
    : 'Send the sound as "file": the form has none';
}

type Estimate = Pick<
  RequestFacts,
  'inputTokensEstimate' | 'inputTokensLikely' | 'outputTokensMax' | 'secondsLikely' | 'secondsMost'
>;

/** By the length of the sound: its tokens or its seconds, and as many words as anybody can say in it. */
function* estimate(body: Buffer, parts: readonly FormPart[], model: string): Sliced<Estimate> {
  let secondsLikely = 0;
  let secondsMost = 0;
  let textBytes = 0;
  let promptBytes = 0;
  for (const { name, content } of parts) {
    const bytes = body.subarray(content.start, content.end);
    if (name === 'file') {
      const { seconds, most } = yield* soundLength(SoundBytes.of(bytes));
      secondsLikely += seconds;
      secondsMost += most;
    } else textBytes += bytes.length;
    // A long field is a prompt by another name.
    if (name !== 'file' && (name === 'prompt' || bytes.length > FIELD_BYTES)) promptBytes += bytes.length;
  }
  const { soundSecond } = tokenRates('transcriptions', model);
  return {
    inputTokensEstimate: Math.ceil(secondsLikely * soundSecond + textBytes / PROMPT_BYTES_PER_TOKEN),
    inputTokensLikely: secondsLikely + Math.ceil(promptBytes / PROMPT_BYTES_PER_TOKEN_LIKELY),
    secondsLikely,
    secondsMost,
    outputTokensMax: secondsLikely * TEXT_TOKENS_PER_SECOND + TEXT_TOKENS_MIN,
  };
}
