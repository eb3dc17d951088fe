import type { Route } from '../../catalog/contract.ts';
import { isRefusal, type Refusal, refuse } from '../../kernel/errors.ts';
import { finish } from '../../protocol/bytes/slices.ts';
import {
  type ClientRequest,
  convertRequestInTurns,
  readClientRequestInTurns,
  returnOwnSignatures,
} from '../../protocol/convert/convert.ts';
import type { RawRequest } from '../../protocol/dialect.ts';
import type { GeneratingProtocol, TextProtocol } from '../../protocol/hub/protocol.ts';
import { limitOutput, OUTPUT_FIELD } from '../../protocol/pass-through/limit-output.ts';
import { findOutputLimit, refuseThinking } from '../admit/output-limit.ts';
import {
  isEmbeddingProtocol,
  isGeneratingProtocol,
  lengthRules,
  vendorProtocols,
} from '../admit/route-protocols.ts';
import { totalBytes } from '../answer/answer.ts';
import type { AttemptContext } from '../attempt/attempt-context.ts';
import { hasMemory, refuseMemory } from '../attempt/memory-budget.ts';
import { toTarget } from '../attempt/target.ts';
import { Converted } from './converted.ts';
import { convertEmbeddings } from './converted-embeddings.ts';
import { convertImages } from './converted-images.ts';
import { holdForFetched } from './fetched-input.ts';
import { getCallMedia, MediaShare, withMedia } from './media.ts';
import { PassThrough } from './pass-through.ts';
import { withSavedSignatures, withSavedTextSignatures } from './signatures.ts';
import type { Translation } from './translation.ts';

/** Which signatures of the client's history are sent. `none` after the vendor refused one. */
export type Signatures = 'own' | 'none';

/**
 * Translates the client's request for one route. Every route starts again from the client's own request
 * (rule C-2). The refusal names what this route's protocol cannot express, or what the hold does not pay for.
 */
export function translate(
  context: AttemptContext,
  route: Route,
  signatures: Signatures,
): Translation | Promise<Translation | Refusal> {
  const { protocol, action } = context.call.endpoint;
  if (action === 'batch') return translateBatch(context, route);
  if (protocol === 'images') {
    if (action === 'variation' && !makesVariations(route)) return Promise.resolve(NO_VARIATIONS);
    return route.protocols.includes(protocol)
      ? new PassThrough(context, route)
      : convertImages(context, route);
  }
  if (isEmbeddingProtocol(protocol)) {
    return route.protocols.includes(protocol)
      ? new PassThrough(context, route)
      : Promise.resolve(convertEmbeddings(context, route, protocol));
  }
  if (action === 'compact' && !makesCompactions(route)) return Promise.resolve(NO_COMPACTIONS);
  // Nothing else is converted: a route that was chosen for it speaks it.
  if (!isGeneratingProtocol(protocol)) return new PassThrough(context, route);
  if (protocol !== 'completions' && !route.protocols.includes(protocol)) {
    return convert(context, route, protocol, signatures);
  }
  const outputLimit = findOutputLimit(context, route);
  const wanted: Wanted = { protocol, signatures, outputLimit };
  const asIs = signatures === 'own' && !context.facts.holdsEnvelope && outputLimit === undefined;
  return asIs ? new PassThrough(context, route) : passChanged(context, route, wanted);
}

/** A batch is never converted: its results come much later, and from the vendor. */
function translateBatch(context: AttemptContext, route: Route): Translation | Promise<Refusal> {
  const { call, raw } = context;
  const isServed = route.vendor.cloud === undefined && route.protocols.includes(call.endpoint.protocol);
  if (!isServed) return Promise.resolve(NO_BATCHES);
  // With another name of the model it is copied.
  return hasMemory(context, raw.body.length)
    ? new PassThrough(context, route)
    : Promise.resolve(refuseMemory());
}

const NO_BATCHES = refuse('notExpressible', {
  message: 'No usable upstream of this model takes batches in this protocol',
});

/** A variation has no prompt that another model could follow, and no cloud has a path for it. */
function makesVariations({ protocols, vendor }: Route): boolean {
  return protocols.includes('images') && vendor.cloud === undefined;
}

const NO_VARIATIONS = refuse('notExpressible', {
  message: 'No usable upstream of this model makes variations of images',
});

/** What stands in a compaction only its vendor can read, and no cloud has a path for it. */
function makesCompactions({ protocols, vendor }: Route): boolean {
  return protocols.includes('responses') && vendor.cloud === undefined;
}

const NO_COMPACTIONS = refuse('notExpressible', {
  message: 'No usable upstream of this model compacts conversations',
});

interface Wanted {
  readonly protocol: GeneratingProtocol;
  readonly signatures: Signatures;
  readonly outputLimit: number | undefined;
}

/** The vendor uses the client's protocol, but the request must be changed for it. */
async function passChanged(
  context: AttemptContext,
  route: Route,
  { protocol, signatures, outputLimit }: Wanted,
): Promise<Translation | Refusal> {
  // A prompt has no history, and so no signatures.
  let raw =
    protocol === 'completions' ? context.raw : await withOwnSignatures(context, route, protocol, signatures);
  if (isRefusal(raw)) return raw;
  if (outputLimit !== undefined) {
    const { capabilities } = toTarget(route, lengthRules(protocol), 'own');
    const limited = await limitOutput(protocol, raw, { tokens: outputLimit, capabilities });
    if (limited === undefined) return refuseThinking(context, outputLimit, OUTPUT_FIELD[protocol]);
    raw = limited;
  }
  if (raw === context.raw) return new PassThrough(context, route);
  if (!hasMemory(context, raw.body.length)) return refuseMemory();
  const facts = await context.dialect.readRequest(raw);
  return isRefusal(facts) ? facts : new PassThrough(context, route, { raw, facts, outputLimit });
}

/** The client's history has signatures of several vendors. This vendor gets only its own. */
async function withOwnSignatures(
  context: AttemptContext,
  route: Route,
  protocol: TextProtocol,
  signatures: Signatures,
): Promise<RawRequest | Refusal> {
  const { raw: asked, facts } = context;
  if (signatures === 'own' && !facts.holdsEnvelope) return asked;
  const own = await returnOwnSignatures(protocol, asked, toTarget(route, protocol, 'own'));
  if (isRefusal(own) || signatures === 'own') return own;
  const none = await returnOwnSignatures(protocol, asked, toTarget(route, protocol, signatures));
  if (isRefusal(none)) return none;
  // There was nothing to remove, so the request stays unchanged.
  return none.body.equals(own.body) && !facts.holdsEnvelope ? asked : none;
}

async function convert(
  context: AttemptContext,
  route: Route,
  protocol: TextProtocol,
  signatures: Signatures,
): Promise<Translation | Refusal> {
  const client = await clientRequest(context, protocol);
  if (isRefusal(client)) return client;
  const identity = {
    modelId: context.model.modelId,
    callId: context.call.id.replaceAll(/[^A-Za-z0-9]/g, ''),
    createdAtS: Math.floor(context.call.createdAtMs / 1000),
  };
  let refusal = refuse('notExpressible', {
    message: 'No usable upstream of this model has a text protocol',
  });
  for (const vendorProtocol of vendorProtocols(route, client.request)) {
    const target = toTarget(route, vendorProtocol, signatures);
    const asked = { protocol, model: context.facts.model };
    const share = new MediaShare(() => getCallMedia(context), { asked, served: target });
    const signed = vendorProtocol === 'gemini' ? await withTexts(context, client) : client;
    const request = await withMedia(signed.request, target, share);
    if (isRefusal(request)) {
      refusal = request;
      continue;
    }
    const unpaid = await holdForFetched(context, share.inputTokens);
    if (unpaid !== undefined) return unpaid;
    const outputLimit = findOutputLimit(context, route);
    if (outputLimit !== undefined && (request.thinking.budgetTokens ?? 0) >= outputLimit) {
      return refuseThinking(context, outputLimit, OUTPUT_FIELD[protocol]);
    }
    const limited = outputLimit === undefined ? request : { ...request, maxTokens: outputLimit };
    const converting = convertRequestInTurns({ ...client, request: limited }, target, identity);
    const conversion = await finish(converting, context.raw.body.length);
    if (!isRefusal(conversion)) {
      const vendor = { protocol: vendorProtocol, outputLimit };
      return hasMemory(context, totalBytes(conversion.pieces))
        ? new Converted(context, conversion, vendor)
        : refuseMemory();
    }
    refusal = conversion;
  }
  return refusal;
}

function withTexts({ deps, call }: AttemptContext, client: ClientRequest): Promise<ClientRequest> {
  return withSavedTextSignatures(client, deps.conversations, call.caller.account.id);
}

/** Decoded once for all routes, because it never changes. */
async function clientRequest(
  context: AttemptContext,
  protocol: TextProtocol,
): Promise<ClientRequest | Refusal> {
  if (context.call.decoded !== undefined) return context.call.decoded;
  const read = await finish(readClientRequestInTurns(protocol, context.raw), context.raw.body.length);
  if (isRefusal(read)) return read;
  const { deps, call } = context;
  const client = await withSavedSignatures(read, deps.conversations, call.caller.account.id);
  call.decoded = client;
  return client;
}
