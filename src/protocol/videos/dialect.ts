import type { Dialect } from '../dialect.ts';
import { NoStreamReader } from '../pass-through/no-stream.ts';
import { Relay } from '../pass-through/relay.ts';
import { encodeImagesError } from '../pass-through/stream-error.ts';
import { readCreatedVideo } from './answer.ts';
import { readVideosRequest, spliceVideosRequest, VIDEOS_MEMBERS } from './request.ts';

/** A prompt becomes a video, after the answer: the answer is a job at the vendor. */
export const videos: Dialect = {
  protocol: 'videos',
  members: VIDEOS_MEMBERS,
  readRequest: readVideosRequest,
  spliceRequest: spliceVideosRequest,
  readResponse: readCreatedVideo,
  relayStream: (framing, _facts, modelId) => new Relay(framing, new NoStreamReader(), modelId),
  countInput: () => 0,
  encodeStreamError: (_framing, error) => encodeImagesError(error),
  keepAlive: () => Buffer.from(': keep-alive\n\n'),
};
