import type { Route } from '../catalog/contract.ts';
import { isRefusal, type Refusal, refuse } from '../kernel/errors.ts';
import {
  type ClientRequest,
  convertRequest,
  readClientRequest,
  returnOwnBlobs,
} from '../protocol/convert.ts';
import type { RawRequest } from '../protocol/dialect.ts';
import type { TextProtocol } from '../protocol/hub/protocol.ts';
import { withKeptBlobs } from './blobs.ts';
import { Converted } from './converted.ts';
import { convertImages } from './converted-images.ts';
import { mediaOf, withMedia } from './media.ts';
import { PassThrough } from './pass-through.ts';
import type { Passage } from './passage.ts';
import { hasRoom, noRoom } from './room.ts';
import { speakable } from './spoken.ts';
import { targetOf } from './target.ts';
import type { Translation } from './translation.ts';

/** Which blobs of the client's history go along; `none` after the vendor refused one. */
export type Blobs = 'own' | 'none';

/**
 * How the route is to be spoken with. Every route starts again from the client's own request
 * (conversion.md 1.13). The refusal says what in the request this route's protocol cannot express.
 */
export function translate(
  passage: Passage,
  route: Route,
  blobs: Blobs,
): Translation | Promise<Translation | Refusal> {
  const { protocol } = passage.call.endpoint;
  if (!route.protocols.includes(protocol)) {
    return protocol === 'images' ? convertImages(passage, route) : convert(passage, route, protocol, blobs);
  }
  if (protocol === 'images') return new PassThrough(passage, route);
  const asIs = blobs === 'own' && !passage.facts.holdsEnvelope;
  return asIs ? new PassThrough(passage, route) : passWithoutStrangers(passage, route, protocol, blobs);
}

/** The client kept blobs of vendors that it was converted to: this vendor gets its own ones only. */
async function passWithoutStrangers(
  passage: Passage,
  route: Route,
  protocol: TextProtocol,
  blobs: Blobs,
): Promise<Translation | Refusal> {
  const own = returnOwnBlobs(protocol, passage.raw, targetOf(route, protocol, 'own'));
  if (isRefusal(own)) return own;
  const raw = blobs === 'own' ? own : returnOwnBlobs(protocol, passage.raw, targetOf(route, protocol, blobs));
  if (isRefusal(raw)) return raw;
  // There was nothing to leave out, so the request stays what it was.
  const isSame = blobs === 'none' && raw.body.equals(own.body);
  if (isSame && !passage.facts.holdsEnvelope) return new PassThrough(passage, route);
  if (!hasRoom(passage, raw.body)) return noRoom();
  const facts = await passage.dialect.readRequest(raw);
  return isRefusal(facts) ? facts : new PassThrough(passage, route, { raw, facts });
}

async function convert(
  passage: Passage,
  route: Route,
  protocol: TextProtocol,
  blobs: Blobs,
): Promise<Translation | Refusal> {
  const client = await clientRequest(passage, protocol);
  if (isRefusal(client)) return client;
  const identity = {
    modelId: passage.model.modelId,
    callId: passage.call.id.replaceAll(/[^A-Za-z0-9]/g, ''),
    createdAtS: Math.floor(passage.call.createdAtMs / 1000),
  };
  let refusal = refuse('notExpressible', {
    message: 'No usable upstream of this model speaks a text protocol',
  });
  for (const spoken of speakable(route, client.request)) {
    const target = targetOf(route, spoken, blobs);
    const request = await withMedia(client.request, target, () => mediaOf(passage));
    const conversion = isRefusal(request)
      ? request
      : convertRequest({ ...client, request }, target, identity);
    if (!isRefusal(conversion)) {
      return hasRoom(passage, conversion.body) ? new Converted(passage, conversion, spoken) : noRoom();
    }
    refusal = conversion;
  }
  return refusal;
}

const decoded = new WeakMap<RawRequest, ClientRequest>();

/** Decoded once for all routes: it never changes. */
async function clientRequest(passage: Passage, protocol: TextProtocol): Promise<ClientRequest | Refusal> {
  const known = decoded.get(passage.raw);
  if (known !== undefined) return known;
  const read = readClientRequest(protocol, passage.raw);
  if (isRefusal(read)) return read;
  const { carriage, call } = passage;
  const client = await withKeptBlobs(read, carriage.conversations, call.caller.account.id);
  decoded.set(passage.raw, client);
  return client;
}
