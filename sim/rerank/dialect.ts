import { content, LINE_FEED_EVENTS } from '../answer/frame.ts';
import { newHexId } from '../answer/id.ts';
import type { Plan } from '../answer/plan.ts';
import { countTokens } from '../answer/tokens.ts';
import { twistUsage, writeJson } from '../answer/usage.ts';
import { vectorOf } from '../answer/vector.ts';
import type { Dialect, VendorRequest } from '../dialect.ts';
import { findOpenai } from '../models.ts';
import { readBody } from '../openai/body.ts';
import { writePath } from '../openai/error.ts';
import { type Ask, type Reply, wordlessAsk } from '../request/ask.ts';
import { check } from '../request/check.ts';
import { type Json, numeric, record, string } from '../request/json.ts';
import { either, flag, integer, list, type Shape, struct, text } from '../request/shape.ts';

const DOCUMENTS_MAX = 1_000;
/** Cohere reads documents in pieces of so many tokens, the query included, and bills each hundred of them. */
const PIECE_TOKENS = 500;
const PIECES_PER_UNIT = 100;
const SCORE_SIZE = 16;
const HEADERS = { 'content-type': 'application/json' };

const REQUEST: Shape = struct({
  'model!': text(),
  'query!': text(),
  'documents!': list(either(text(), struct({ 'text!': text() })), { min: 1, max: DOCUMENTS_MAX }),
  top_n: integer(1),
  return_documents: flag,
  max_tokens_per_doc: integer(1),
  priority: integer(0, 999),
  truncation: flag,
});

/** Jina's form and Cohere's: the same request, and two ways to tell what it cost. */
export const rerank: Dialect = {
  vendor: 'openai',
  examine,
  newAnswerId: () => newHexId(32),
  plain,
  frames: () => [],
  framing: () => LINE_FEED_EVENTS,
  headers: () => HEADERS,
  failure,
  failureFrame: (message) => content({ data: JSON.stringify({ message }), output: 0 }),
};

function failure(status: number, message: string): Reply {
  return { kind: 'reply', status, headers: HEADERS, body: JSON.stringify({ id: newHexId(32), message }) };
}

function examine(request: VendorRequest): Ask | Reply {
  const body = readBody(request.body);
  if ('kind' in body) return body;
  const [problem] = check(REQUEST, body.value);
  if (problem !== undefined)
    return failure(400, `invalid request: ${writePath(problem.path)}: ${problem.code}`);
  const name = String(body.value.model);
  const model = findOpenai(name);
  if (model?.kind !== 'rerank') return failure(404, `model '${name}' not found`);
  const words = [string(body.value.query), ...documentsOf(body.value)].join('\n');
  return wordlessAsk({
    ...{ model, body: body.value, key: request.key, text: words },
    inputTokens: readTokens(body.value),
  });
}

function documentsOf({ documents }: Json): readonly string[] {
  const all = Array.isArray(documents) ? documents : [];
  return all.map((each) => (typeof each === 'string' ? each : string(record(each).text)));
}

/** The model reads the query again with every document. */
function readTokens(body: Json): number {
  const query = countTokens(string(body.query));
  return documentsOf(body).reduce((sum, each) => sum + query + countTokens(each), 0);
}

function unitsOf(body: Json): number {
  const room = Math.max(PIECE_TOKENS / 2, PIECE_TOKENS - countTokens(string(body.query)));
  const pieces = documentsOf(body).reduce(
    (sum, each) => sum + Math.max(1, Math.ceil(countTokens(each) / room)),
    0,
  );
  return Math.ceil(pieces / PIECES_PER_UNIT);
}

function score(one: readonly number[], other: readonly number[]): number {
  return (1 + one.reduce((sum, each, index) => sum + each * (other[index] ?? 0), 0)) / 2;
}

function plain(plan: Plan): string {
  const { body, model, inputTokens } = plan.ask;
  const query = vectorOf(string(body.query), SCORE_SIZE);
  const results = documentsOf(body)
    .map((each, index) => ({
      index,
      relevance_score: score(query, vectorOf(each, SCORE_SIZE)),
      ...(body.return_documents === true ? { document: { text: each } } : {}),
    }))
    .sort((one, other) => other.relevance_score - one.relevance_score)
    .slice(0, numeric(body.top_n) ?? DOCUMENTS_MAX);
  const { usage: variant } = plan.directive;
  if (model.vendor === 'openai' && model.bills === 'units') {
    const billed = twistUsage(variant, { search_units: unitsOf(body) });
    const meta = { api_version: { version: '2' }, ...(billed === undefined ? {} : { billed_units: billed }) };
    return writeJson({ id: plan.id, results, meta });
  }
  const usage = twistUsage(variant, { total_tokens: inputTokens, prompt_tokens: inputTokens });
  return writeJson({
    ...{ model: model.snapshot, object: 'list', results },
    ...(usage === undefined ? {} : { usage }),
  });
}
