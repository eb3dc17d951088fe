import type { Route } from '../../catalog/contract.ts';
import { assert } from '../../kernel/assert.ts';
import { isRefusal, type Refusal } from '../../kernel/errors.ts';
import type { Outline } from '../../protocol/bytes/outline.ts';
import { finish, type Sliced } from '../../protocol/bytes/slices.ts';
import { expressible } from '../../protocol/convert/convert.ts';
import type { Framing, PlainAnswer, StreamRelay } from '../../protocol/dialect.ts';
import {
  FORMS,
  readVectors,
  writeGoogleAnswer,
  writeOpenAiAnswer,
} from '../../protocol/embeddings-conversion/answer.ts';
import {
  readGoogleRequest,
  readOpenAiRequest,
  type VectorRequest,
  writeGoogleRequest,
  writeOpenAiRequest,
} from '../../protocol/embeddings-conversion/request.ts';
import { readOutlined } from '../../protocol/pass-through/answer.ts';
import { getDialect } from '../../protocol/registry.ts';
import type { UpstreamHead, VendorAction } from '../../upstream/contract.ts';
import { VENDOR_JSON } from '../../upstream/vendor.ts';
import { type EmbeddingProtocol, OTHER_EMBEDDINGS } from '../admit/route-protocols.ts';
import { type AttemptContext, countedInput } from '../attempt/attempt-context.ts';
import { hasMemory, refuseMemory } from '../attempt/memory-budget.ts';
import { convertedHeaders, JSON_TYPE, NO_HEADERS } from './converted.ts';
import type { Translation } from './translation.ts';

/** Returns a refusal if the request has something that the other form of embeddings cannot express. */
export function convertEmbeddings(
  context: AttemptContext,
  route: Route,
  client: EmbeddingProtocol,
): ConvertedEmbeddings | Refusal {
  const { body, path } = context.raw;
  const kind = path?.batch === true ? 'batch' : 'one';
  const request = expressible(() =>
    client === 'embeddings' ? readOpenAiRequest(body) : readGoogleRequest(body, kind),
  );
  if (isRefusal(request)) return request;
  const converted = new ConvertedEmbeddings(context, route, { client, request });
  return hasMemory(context, converted.body[0]?.length ?? 0) ? converted : refuseMemory();
}

/** A client of one form of embeddings, and a vendor of the other. */
export class ConvertedEmbeddings implements Translation {
  readonly protocol: EmbeddingProtocol;
  readonly action: VendorAction;
  readonly body: readonly Buffer[];
  readonly contentType = VENDOR_JSON;
  readonly clientHeaders = NO_HEADERS;
  readonly query = '';
  readonly outputLimit = undefined;
  readonly dropped: readonly string[];
  readonly #context: AttemptContext;
  readonly #request: VectorRequest;

  constructor(
    context: AttemptContext,
    route: Route,
    { client, request }: { readonly client: EmbeddingProtocol; readonly request: VectorRequest },
  ) {
    this.#context = context;
    this.#request = request;
    this.protocol = OTHER_EMBEDDINGS[client];
    this.action = this.protocol === 'gemini-embeddings' ? 'batch' : 'generate';
    const write = this.protocol === 'embeddings' ? writeOpenAiRequest : writeGoogleRequest;
    this.body = [write(request, route.forwardModelId)];
    this.dropped = request.dropped;
  }

  findFraming(): undefined {
    return undefined;
  }

  clientFraming(framing: Framing): Framing {
    return framing;
  }

  relay(): StreamRelay {
    assert(false, 'embeddings are never streamed');
  }

  readAnswer(body: Buffer, outline: Outline | undefined): PlainAnswer | Promise<PlainAnswer> {
    const { model } = this.#context;
    const dialect = getDialect(this.protocol);
    const answer = readOutlined(body, outline, () => dialect.readResponse(body, model.modelId));
    if (!answer.valid || answer.isError) return answer;
    return finish(this.#convert(answer, body), body.length);
  }

  *#convert(answer: PlainAnswer, body: Buffer): Sliced<PlainAnswer> {
    const { texts, format } = this.#request;
    const vectors = yield* readVectors(body, FORMS[this.protocol], texts.length);
    if (vectors === undefined) return { ...answer, valid: false };
    const { model, raw } = this.#context;
    const inputTokens = answer.figures?.input ?? countedInput(this.#context);
    const about = { modelId: model.modelId, inputTokens };
    const kind = raw.path?.batch === true ? 'batch' : 'one';
    const pieces =
      this.protocol === 'embeddings'
        ? writeGoogleAnswer(vectors, kind, about)
        : yield* writeOpenAiAnswer(vectors, format, about);
    return { ...answer, pieces };
  }

  answerHeaders(head: UpstreamHead): string[] {
    return convertedHeaders(head, JSON_TYPE);
  }

  save(): void {
    // Embeddings have no history.
  }
}
