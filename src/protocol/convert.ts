import { WHOLE_ANSWER_VALUES_MAX } from '../bounds.ts';
import { isRefusal, type Refusal, refuse } from '../kernel/errors.ts';
import { ConvertedStream } from './convert-stream.ts';
import type { Framing, RawRequest, StreamRelay, VendorRelay } from './dialect.ts';
import type { AnswerError } from './hub/answer.ts';
import type { Blob } from './hub/blob.ts';
import { fitRequest } from './hub/fit.ts';
import { readJson, writeJson } from './hub/json.ts';
import { Inexpressible, Notes } from './hub/notes.ts';
import type { TextProtocol } from './hub/protocol.ts';
import type { HubRequest } from './hub/request.ts';
import { returnAnswer } from './hub/return.ts';
import type { ReturnPlan } from './hub/return-call.ts';
import type { Target } from './hub/spoke.ts';
import { readWhole } from './hub/whole.ts';
import { spokeOf } from './spokes.ts';

/** A client's request in the words of the hub. Every route is converted from it anew (conversion.md 1.13). */
export interface ClientRequest {
  readonly request: HubRequest;
  /** What was lost already, whatever the target. */
  readonly dropped: readonly string[];
}

/** Whose answer it will be. */
export interface Identity {
  readonly modelId: string;
  readonly callId: string;
  readonly createdAtS: number;
}

/** One request on its way to one vendor of another protocol, and its answer on the way back. */
export interface Conversion {
  /** The body for the vendor. */
  readonly body: Buffer;
  /** What the vendor does not hear, in the client's words. */
  readonly dropped: readonly string[];
  /** Blobs to be kept for a Chat client, by the ids of its calls; filled as the answer passes. */
  readonly kept: ReadonlyMap<string, readonly Blob[]>;
  /** A plain answer for the client; nothing when the vendor's body is none of its protocol. */
  convertAnswer(body: Buffer): Buffer | AnswerError | undefined;
  /** A stream for the client, in its framing; `vendor` is the vendor's own relay, which meters. */
  convertStream(framing: Framing, vendor: VendorRelay): StreamRelay;
}

export function readClientRequest(protocol: TextProtocol, raw: RawRequest): ClientRequest | Refusal {
  const spoke = spokeOf(protocol);
  const body = readWhole(raw.body, spoke.rawKeys);
  if (isRefusal(body)) return body;
  const notes = new Notes(spoke.fields);
  return expressible(() => {
    const request = spoke.decodeRequest(body, raw, notes);
    return { request, dropped: notes.dropped };
  });
}

export function convertRequest(
  client: ClientRequest,
  target: Target,
  identity: Identity,
): Conversion | Refusal {
  const { request } = client;
  const [from, to] = [spokeOf(request.client), spokeOf(target.protocol)];
  const notes = new Notes({ ...from.fields, ...request.spelled });
  for (const path of client.dropped) notes.drop(path);
  // A tool that runs at the client's vendor has no like elsewhere (conversion.md 6.10).
  if (request.client !== target.protocol) for (const { path } of request.hostedTools) notes.drop(path);
  return expressible(() => {
    const { request: fitted, names, lost } = fitRequest(request, target, to.rules);
    for (const field of lost) notes.lose(field);
    const body = Buffer.from(writeJson(to.encodeRequest(fitted, target, notes)));
    const plan: ReturnPlan = {
      session: { request, target, ...identity },
      names,
      client: from.rules,
      kept: new Map(),
    };
    return {
      body,
      dropped: notes.dropped,
      kept: plan.kept,
      convertAnswer: (answer) => convertAnswer(answer, plan),
      convertStream: (framing, vendor) => new ConvertedStream({ from, to, plan, framing, vendor }),
    };
  });
}

/**
 * For a body that stays in its protocol but holds blobs in envelopes of ours, or must lose every blob because
 * its vendor refused one: the body with its blobs as this target may have them.
 */
export function returnOwnBlobs(
  protocol: TextProtocol,
  raw: RawRequest,
  target: Target,
): RawRequest | Refusal {
  const spoke = spokeOf(protocol);
  const body = readWhole(raw.body, spoke.rawKeys);
  if (isRefusal(body)) return body;
  const returned = spoke.returnBlobs(body, target);
  return returned === body ? raw : { ...raw, body: Buffer.from(writeJson(returned)) };
}

function convertAnswer(body: Buffer, plan: ReturnPlan): Buffer | AnswerError | undefined {
  const { session } = plan;
  const [from, to] = [spokeOf(session.request.client), spokeOf(session.target.protocol)];
  const json = readJson(body.toString('utf8'), to.rawKeys, { left: WHOLE_ANSWER_VALUES_MAX });
  if (json === undefined) return undefined;
  const answer = to.decodeAnswer(json, session);
  if (!('choices' in answer)) return answer;
  return Buffer.from(writeJson(from.encodeAnswer(returnAnswer(answer, plan), session)));
}

/** The one place where content that cannot be carried becomes a refusal. */
export function expressible<T>(work: () => T): T | Refusal {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof Inexpressible)) throw error;
    return refuse('notExpressible', { message: error.message, details: error.details });
  }
}
