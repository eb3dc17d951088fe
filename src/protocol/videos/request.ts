import { isRefusal, type Refusal, refuse } from '../../kernel/errors.ts';
import { compilePaths } from '../bytes/paths.ts';
import type { JsonScan } from '../bytes/scan.ts';
import { spliceModel } from '../bytes/splice.ts';
import type { FormPart, RawRequest, RequestFacts } from '../dialect.ts';
import { newForm, writeForm } from '../images/form.ts';
import { type FormFields, findText, isMultipart, readForm, readFormModel } from '../images/multipart.ts';
import { INPUT_ONLY } from '../input-only/dialect.ts';
import { foundFigure, readModel, scanRequest } from '../pass-through/request.ts';

const TREE = compilePaths({ model: 'model', count: 'n' });
const { slots } = TREE;
const COUNTS = [slots.count];
const METERED = ['model', 'n'];
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
  const model = readModel(body, scan.found[slots.model]);
  if (isRefusal(model)) return model;
  return refuseMany(foundFigure(body, scan, COUNTS) ?? 1) ?? { ...model, ...ONE_VIDEO };
}

function readFormFacts(body: Buffer, parts: readonly FormPart[]): RequestFacts | Refusal {
  const model = readFormModel(body, parts);
  if (isRefusal(model)) return model;
  for (const part of parts) {
    const refusal = part.name === 'n' ? refuseMany(Number(findText(body, part))) : undefined;
    if (refusal !== undefined) return refusal;
  }
  return { model, modelRanges: [], ...ONE_VIDEO, form: newForm(parts) };
}

/** The protocol has no `n`. A vendor that has one would make more videos than are paid for. */
function refuseMany(count: number): Refusal | undefined {
  if (count === 1) return undefined;
  return refuse('notExpressible', { message: 'A call creates one video: leave "n" out' });
}
