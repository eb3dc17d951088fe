import { joinPieces } from '../../kernel/async/next-turn.ts';
import { isRefusal, type Refusal, refuse } from '../../kernel/errors.ts';
import { WHOLE_ANSWER_BYTES_MAX, WHOLE_ANSWER_VALUES_MAX, WHOLE_ESCAPED_CHARS_MAX } from '../bounds.ts';
import { finish, finishNow, type Sliced } from '../bytes/slices.ts';
import type { Framing, RawRequest, StreamRelay, VendorRelay } from '../dialect.ts';
import type { AnswerError } from '../hub/answer.ts';
import type { Target } from '../hub/codec.ts';
import { readJson, writeJsonBytes } from '../hub/content/json.ts';
import { readWholeInTurns } from '../hub/content/value-budget.ts';
import { fitRequest } from '../hub/fit/fit.ts';
import { Inexpressible, Notes } from '../hub/notes.ts';
import type { TextProtocol } from '../hub/protocol.ts';
import type { HubRequest } from '../hub/request.ts';
import { returnAnswer } from '../hub/return/return.ts';
import type { ReturnPlan } from '../hub/return/return-call.ts';
import type { Signature } from '../hub/signature.ts';
import type { Figures } from '../meter/usage-report.ts';
import { getDialect } from '../registry.ts';
import { getCodec } from './codecs.ts';
import { ConvertedStream } from './convert-stream.ts';

/** A client's request in the form of the hub. Each route converts it again (rule C-2). */
export interface ClientRequest {
  readonly request: HubRequest;
  /** What the decoder already lost, whatever the target. */
  readonly dropped: readonly string[];
}

/** What the answer says about itself. */
export interface Identity {
  readonly modelId: string;
  readonly callId: string;
  readonly createdAtS: number;
}

/** One request converted for a vendor of another protocol, and the conversion of its answer. */
export interface Conversion {
  /** The body for the vendor, in pieces and as one buffer. */
  readonly pieces: readonly Buffer[];
  readonly body: Buffer;
  /** What the vendor does not get, by the client's field names. */
  readonly dropped: readonly string[];
  /** Signatures to store, by the ids of calls and by texts (`ReturnPlan`). Filled while the answer passes. */
  readonly kept: ReadonlyMap<string, readonly Signature[]>;
  /**
   * A plain answer for the client, with the usage that the vendor's dialect read. `undefined` if the vendor's
   * body is not of its protocol.
   */
  convertAnswerInTurns(body: Buffer, figures?: Figures): Sliced<readonly Buffer[] | AnswerError | undefined>;
  /** The same for a short answer, whose usage is read here. */
  convertAnswer(body: Buffer): Buffer | AnswerError | undefined;
  /** A stream for the client, in its framing. `vendor` is the relay of the vendor's dialect, which meters. */
  convertStream(framing: Framing, vendor: VendorRelay): StreamRelay;
}

export function readClientRequest(protocol: TextProtocol, raw: RawRequest): ClientRequest | Refusal {
  return finishNow(readClientRequestInTurns(protocol, raw));
}

export function* readClientRequestInTurns(
  protocol: TextProtocol,
  raw: RawRequest,
): Sliced<ClientRequest | Refusal> {
  const codec = getCodec(protocol);
  const body = yield* readWholeInTurns(raw.body, codec.rawKeys);
  if (isRefusal(body)) return body;
  const notes = new Notes(codec.fields);
  return expressible(() => {
    const request = codec.decodeRequest(body, raw, notes);
    return { request, dropped: notes.dropped };
  });
}

export function convertRequest(
  client: ClientRequest,
  target: Target,
  identity: Identity,
): Conversion | Refusal {
  return finishNow(convertRequestInTurns(client, target, identity));
}

export function* convertRequestInTurns(
  client: ClientRequest,
  target: Target,
  identity: Identity,
): Sliced<Conversion | Refusal> {
  const { request } = client;
  const [clientCodec, vendorCodec] = [getCodec(request.client), getCodec(target.protocol)];
  const notes = new Notes({ ...clientCodec.fields, ...request.spelled });
  for (const path of client.dropped) notes.drop(path);
  // A tool that runs at the client's vendor has no equivalent elsewhere (rule C-34).
  if (request.client !== target.protocol) for (const { path } of request.vendorTools) notes.drop(path);
  const fit = expressible(() => fitRequest(request, target, vendorCodec.rules));
  if (isRefusal(fit)) return fit;
  yield;
  const { request: fitted, names, lost } = fit;
  for (const field of lost) notes.lose(field);
  const made = expressible(() => vendorCodec.encodeRequest(fitted, target, notes));
  if (isRefusal(made)) return made;
  yield;
  const pieces = yield* writeJsonBytes(made);
  const plan: ReturnPlan = {
    session: { request, target, ...identity },
    names,
    client: clientCodec.rules,
    kept: new Map(),
  };
  return {
    pieces,
    get body() {
      return Buffer.concat(pieces);
    },
    dropped: notes.dropped,
    kept: plan.kept,
    convertAnswerInTurns: (answer, figures) => convertAnswer(answer, plan, figures),
    convertAnswer: (answer) => {
      const { figures } = getDialect(target.protocol).readResponse(answer, identity.modelId);
      const converted = finishNow(convertAnswer(answer, plan, figures));
      return converted === undefined || 'status' in converted ? converted : Buffer.concat(converted);
    },
    convertStream: (framing, vendor) =>
      new ConvertedStream({ clientCodec, vendorCodec, plan, framing, vendor }),
  };
}

/**
 * For a body that stays in its protocol but has signatures in our envelopes, or must lose every signature
 * because its vendor refused one. Returns the body with the signatures that this target may get.
 */
export async function returnOwnSignatures(
  protocol: TextProtocol,
  raw: RawRequest,
  target: Target,
): Promise<RawRequest | Refusal> {
  const pieces = await finish(withOwnSignatures(protocol, raw.body, target), raw.body.length);
  if (pieces === undefined) return raw;
  return isRefusal(pieces) ? pieces : { ...raw, body: await joinPieces(pieces) };
}

/** `undefined` if the body stays unchanged. */
function* withOwnSignatures(
  protocol: TextProtocol,
  raw: Buffer,
  target: Target,
): Sliced<readonly Buffer[] | undefined | Refusal> {
  const codec = getCodec(protocol);
  const body = yield* readWholeInTurns(raw, codec.rawKeys);
  if (isRefusal(body)) return body;
  const returned = codec.returnSignatures(body, target);
  yield;
  return returned === body ? undefined : yield* writeJsonBytes(returned);
}

function* convertAnswer(
  body: Buffer,
  plan: ReturnPlan,
  figures: Figures | undefined,
): Sliced<readonly Buffer[] | AnswerError | undefined> {
  if (body.length > WHOLE_ANSWER_BYTES_MAX) return undefined;
  const { session } = plan;
  const [clientCodec, vendorCodec] = [getCodec(session.request.client), getCodec(session.target.protocol)];
  const text = body.toString('utf8');
  yield;
  const budget = { left: WHOLE_ANSWER_VALUES_MAX, escapedLeft: WHOLE_ESCAPED_CHARS_MAX };
  const json = readJson(text, vendorCodec.rawKeys, budget);
  if (json === undefined) return undefined;
  yield;
  const answer = vendorCodec.decodeAnswer(json, session, figures);
  if (!('choices' in answer)) return answer;
  yield;
  const made = clientCodec.encodeAnswer(returnAnswer(answer, plan), session);
  yield;
  return yield* writeJsonBytes(made);
}

/** The one place where content that cannot be converted becomes a refusal. */
export function expressible<T>(work: () => T): T | Refusal {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof Inexpressible)) throw error;
    return refuse('notExpressible', { message: error.message, details: error.details });
  }
}
