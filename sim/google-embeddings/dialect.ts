import { content, JSON_ARRAY } from '../answer/frame.ts';
import { newId } from '../answer/id.ts';
import type { Plan } from '../answer/plan.ts';
import { countTokens } from '../answer/tokens.ts';
import { twistUsage, writeJson } from '../answer/usage.ts';
import { vectorOf } from '../answer/vector.ts';
import type { Dialect, VendorRequest } from '../dialect.ts';
import { examineGoogle } from '../google/dialect.ts';
import { describe, googleError, googleFailure, googleHeaders } from '../google/error.ts';
import type { GoogleModel } from '../models.ts';
import { type Ask, type Reply, wordlessAsk } from '../request/ask.ts';
import { check } from '../request/check.ts';
import { type Json, numeric, record, string } from '../request/json.ts';
import { flag, integer, list, oneOf, type Shape, struct, text } from '../request/shape.ts';

export type EmbedOperation = 'embedContent' | 'batchEmbedContents';

const BATCH_MAX = 100;
const SIZE_MAX = 3_072;
const options = {
  taskType: oneOf(
    ...['RETRIEVAL_QUERY', 'RETRIEVAL_DOCUMENT', 'SEMANTIC_SIMILARITY', 'CLASSIFICATION', 'CLUSTERING'],
    ...['QUESTION_ANSWERING', 'FACT_VERIFICATION', 'CODE_RETRIEVAL_QUERY', 'TASK_TYPE_UNSPECIFIED'],
  ),
  title: text(),
  outputDimensionality: integer(1, SIZE_MAX),
};
const one = {
  model: text(),
  'content!': struct({ 'parts!': list(struct({ 'text!': text() }), { min: 1 }), role: text() }),
  ...options,
  embedContentConfig: struct({ ...options, autoTruncate: flag }),
};
const REQUESTS: Readonly<Record<EmbedOperation, Shape>> = {
  embedContent: struct(one),
  batchEmbedContents: struct({ 'requests!': list(struct({ ...one, 'model!': text() }), { min: 1 }) }),
};

export function googleEmbed(operation: EmbedOperation): Dialect {
  return {
    vendor: 'google',
    examine: (request) => examine(request, operation),
    newAnswerId: () => newId(23),
    plain: (plan) => plain(plan, operation),
    frames: () => [],
    framing: () => JSON_ARRAY,
    headers: googleHeaders,
    failure: googleFailure,
    failureFrame: (message) =>
      content({ data: JSON.stringify({ error: { code: 503, message } }), output: 0 }),
  };
}

function examine(request: VendorRequest, operation: EmbedOperation): Ask | Reply {
  const examined = examineGoogle(request, operation, REQUESTS[operation]);
  if ('kind' in examined) return examined;
  const { body, model } = examined;
  const problems = check(REQUESTS[operation], body);
  if (problems.length > 0) return describe(problems);
  if (model.output !== 'vector') {
    const message = `models/${model.name} is not found for API version v1beta, or is not supported for ${operation}.`;
    return googleError(404, message);
  }
  const requests = requestsOf(body);
  if (requests.length > BATCH_MAX) {
    const message = `* BatchEmbedContentsRequest.requests: at most ${BATCH_MAX} requests can be in one batch`;
    return googleError(400, message);
  }
  return refuseModel(requests, model) ?? read(body, model, request.key);
}

function refuseModel(requests: readonly Json[], model: GoogleModel): Reply | undefined {
  const wrong = requests.find((each) => each.model !== undefined && each.model !== `models/${model.name}`);
  if (wrong === undefined) return undefined;
  const message = `* EmbedContentRequest.model: expected models/${model.name}, got ${string(wrong.model)}`;
  return googleError(400, message);
}

function requestsOf(body: Json): readonly Json[] {
  return Array.isArray(body.requests) ? body.requests.map(record) : [body];
}

function textOf(request: Json): string {
  const { parts } = record(request.content);
  return (Array.isArray(parts) ? parts : []).map((part) => string(record(part).text)).join('\n');
}

function read(body: Json, model: GoogleModel, key: string): Ask {
  const texts = requestsOf(body).map(textOf);
  const inputTokens = texts.reduce((sum, each) => sum + countTokens(each), 0);
  return wordlessAsk({ model, body, key, inputTokens, text: texts.join('\n') });
}

function plain(plan: Plan, operation: EmbedOperation): string {
  const { body, inputTokens } = plan.ask;
  const vectors = requestsOf(body).map((each) => {
    const size =
      numeric(each.outputDimensionality) ?? numeric(record(each.embedContentConfig).outputDimensionality);
    return { values: vectorOf(textOf(each), size ?? SIZE_MAX) };
  });
  const usage = twistUsage(plan.directive.usage, { promptTokenCount: inputTokens });
  const reported = usage === undefined ? {} : { usageMetadata: usage };
  const answer = operation === 'embedContent' ? { embedding: vectors[0] } : { embeddings: vectors };
  return `${writeJson({ ...answer, ...reported }, 2)}\n`;
}
