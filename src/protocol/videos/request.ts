import { isRefusal, type Refusal, refuse } from '../../kernel/errors.ts';
import { LETTER_N } from '../bytes/ascii.ts';
import type { JsonScan } from '../bytes/scan.ts';
import { spliceModel } from '../bytes/splice.ts';
import type { FormPart, RawRequest, RequestFacts } from '../dialect.ts';
import { newForm, writeForm } from '../images/form.ts';
import { type FormFields, findText, isMultipart, readForm, readFormModel } from '../images/multipart.ts';
import { INPUT_ONLY } from '../input-only/dialect.ts';
import { compileMembers, type Member } from '../pass-through/metered-keys.ts';
import { foundFigure, readModel, scanRequest } from '../pass-through/request.ts';

/** How many videos: the protocol has none of these. */
const COUNTS = ['n', 'batch_size', 'num_videos', 'num_outputs', 'sample_count', 'number_of_videos'];
const METERED = ['model', ...COUNTS];
const COUNT_MEMBERS = COUNTS.map((name): [string, Member] => [name, [name, 'count']]);
const TREE = compileMembers<string>({ model: ['model', 'any'], ...Object.fromEntries(COUNT_MEMBERS) });
export const VIDEOS_MEMBERS = TREE.members;
const slot = (name: string): number => TREE.slots[name] as number;
const FIELDS: FormFields = {
  metered: new Set(METERED),
  files: /^input_reference$/,
  known: new Set(METERED),
};

/** A video has one price, whatever its input is, so nothing of the input is counted. */
const ONE_VIDEO = {
  ...INPUT_ONLY,
  inputTokensEstimate: 0,
  inputTokensLikely: 0,
  videos: 1,
  job: 'video',
} as const;

/** JSON, or a form if an image goes with it. */
export function readVideosRequest(
  request: RawRequest,
): RequestFacts | Refusal | Promise<RequestFacts | Refusal> {
  const { body, contentType } = request;
  if (isMultipart(contentType)) return readForm(request, FIELDS, (parts) => readFormFacts(body, parts));
  return scanRequest(body, TREE, (scan) => readFacts(body, scan));
}

export function spliceVideosRequest(
  { body }: RawRequest,
  facts: RequestFacts,
  forwardModel: string,
): readonly Buffer[] {
  return facts.form === undefined
    ? spliceModel(body, facts, forwardModel)
    : writeForm(body, facts.form, forwardModel);
}

function readFacts(body: Buffer, scan: JsonScan): RequestFacts | Refusal {
  const model = readModel(body, scan.found[slot('model')]);
  if (isRefusal(model)) return model;
  for (const name of COUNTS) {
    const range = scan.found[slot(name)]?.at(-1);
    const isAbsent = range === undefined || body[range.start] === LETTER_N;
    const refusal = isAbsent ? undefined : refuseMany(name, foundFigure(body, scan, [slot(name)]));
    if (refusal !== undefined) return refusal;
  }
  return { ...model, ...ONE_VIDEO };
}

function readFormFacts(body: Buffer, parts: readonly FormPart[]): RequestFacts | Refusal {
  const model = readFormModel(body, parts);
  if (isRefusal(model)) return model;
  for (const part of parts) {
    const refusal = COUNTS.includes(part.name)
      ? refuseMany(part.name, Number(findText(body, part)))
      : undefined;
    if (refusal !== undefined) return refusal;
  }
  return { model, modelRanges: [], ...ONE_VIDEO, form: newForm(parts) };
}

/** A vendor that has such a field would make more videos than are paid for. */
function refuseMany(name: string, count: number | undefined): Refusal | undefined {
  if (count === 1) return undefined;
  return refuse('notExpressible', { message: `A call creates one video: leave "${name}" out` });
}
