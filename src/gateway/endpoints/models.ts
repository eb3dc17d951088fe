import type { IncomingHttpHeaders } from 'node:http';
import { admit } from '../../accounts/admit.ts';
import type { Account } from '../../accounts/contract.ts';
import type { CatalogSnapshot, Model } from '../../catalog/contract.ts';
import { isRefusal, type Refusal, refuse } from '../../kernel/errors.ts';
import type { Protocol } from '../../kernel/protocol-name.ts';
import { isOffered } from '../admit/offered.ts';
import { ownHeaders } from '../answer/answer.ts';
import type { JobRequest, JobRequestEnd } from '../jobs/job-request.ts';
import type { FoundObject } from './find.ts';
import { describeModel, type ListStyle, listModels } from './model-list.ts';

/**
 * The protocols that the clients of a list use. OpenAI's clients reach every model, by one of their
 * protocols.
 */
const PROTOCOLS: Readonly<Record<ListStyle, readonly Protocol[]>> = {
  openai: [
    'chat',
    'responses',
    'images',
    'embeddings',
    'moderations',
    'rerank',
    'completions',
    'speech',
    'transcriptions',
    'videos',
  ],
  anthropic: ['messages'],
  google: ['gemini', 'gemini-embeddings'],
};

const SHOWN_CHARS_MAX = 100;

/**
 * The models that the account can call here, in the list format of the client's vendor. They come from the
 * catalogue: a vendor would list its own model names, which do not work here. This is not a call: nothing is
 * held, counted or charged.
 */
export async function serveModels(entered: JobRequest): Promise<JobRequestEnd> {
  const { response, headers, asked, gateway, caller, requestId, nowMs } = entered;
  const style = GOOGLE.has(asked.id) ? 'google' : chooseListStyle(headers);
  const models = callable(gateway.directory.catalog(), style, caller.account, nowMs);
  const answer = answerFor(asked, style, models);
  if (isRefusal(answer)) return answer;
  const body = JSON.stringify(answer);
  response.writeHead(200, [
    'content-type',
    'application/json; charset=utf-8',
    'content-length',
    String(Buffer.byteLength(body)),
    // The next request may come from an account with another level, or after a change of the catalogue.
    'cache-control',
    'no-store',
    ...ownHeaders(requestId, entered.protocol),
  ]);
  response.end(body);
  return undefined;
}

/** Paths that only clients of Google use. */
const GOOGLE: ReadonlySet<FoundObject['id']> = new Set(['listModelsForGoogle', 'getModelForGoogle']);

/** Every Messages client sends its version; Google's clients always send their own key header. */
function chooseListStyle(headers: IncomingHttpHeaders): ListStyle {
  if (headers['anthropic-version'] !== undefined) return 'anthropic';
  return headers['x-goog-api-key'] === undefined ? 'openai' : 'google';
}

function answerFor(
  { params: { model: modelId }, query }: FoundObject,
  style: ListStyle,
  models: readonly Model[],
): object | Refusal {
  if (modelId === undefined) return listModels(style, models, new URLSearchParams(query));
  const model = models.find((one) => one.modelId === modelId);
  if (model !== undefined) return describeModel(style, model);
  const shortName = modelId.slice(0, SHOWN_CHARS_MAX).toWellFormed();
  return refuse('pathUnknown', {
    message: `The model "${shortName}" does not exist or is not available to this account`,
  });
}

/** The models that rule I-48 and rule S-19 allow and that the client's protocol can reach. */
function callable(
  catalog: CatalogSnapshot,
  style: ListStyle,
  account: Account,
  nowMs: number,
): readonly Model[] {
  return offered(catalog, style).filter((model) => admit(model, account, nowMs) === undefined);
}

/** Snapshots are immutable, so a cached list stays valid as long as its snapshot. */
const offers = new WeakMap<CatalogSnapshot, Map<ListStyle, readonly Model[]>>();

function offered(catalog: CatalogSnapshot, style: ListStyle): readonly Model[] {
  let byStyle = offers.get(catalog);
  if (byStyle === undefined) {
    byStyle = new Map();
    offers.set(catalog, byStyle);
  }
  let models = byStyle.get(style);
  if (models === undefined) {
    models = [...catalog.models.values()].filter((model) => isOffered(model, PROTOCOLS[style]));
    // By code units, as the pages compare ids.
    models = models.toSorted((one, other) => (one.modelId < other.modelId ? -1 : 1));
    byStyle.set(style, models);
  }
  return models;
}
