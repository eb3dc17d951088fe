import { isRefusal, type Refusal } from '../../kernel/errors.ts';
import type { RawRequest, RequestFacts } from '../dialect.ts';
import { compilePaths } from '../paths.ts';
import { foundFigure, foundTrue, inputTokensEstimate, readModel, scanRequest } from '../request.ts';
import type { JsonScan } from '../scan.ts';

const TREE = compilePaths({ model: 'model', stream: 'stream', outputMax: 'max_tokens' });
const { slots } = TREE;

export function readMessagesRequest(
  request: RawRequest,
): RequestFacts | Refusal | Promise<RequestFacts | Refusal> {
  return scanRequest(request.body, TREE, (scan) => readFacts(request.body, scan));
}

function readFacts(body: Buffer, scan: JsonScan): RequestFacts | Refusal {
  const model = readModel(body, scan.found[slots.model]);
  if (isRefusal(model)) return model;
  return {
    ...model,
    stream: foundTrue(body, scan.found[slots.stream]),
    outputTokensMax: foundFigure(body, scan.found[slots.outputMax]),
    answers: 1,
    images: 0,
    inputTokensEstimate: inputTokensEstimate(scan),
    usageInjected: false,
    usageSplice: undefined,
    edit: false,
  };
}
