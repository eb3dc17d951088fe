import type { Dialect } from '../dialect.ts';
import { writeForm } from '../images/form.ts';
import { Relay } from '../pass-through/relay.ts';
import { encodeImagesError } from '../pass-through/stream-error.ts';
import { readTranscript } from './answer.ts';
import { readTranscriptionRequest } from './request.ts';
import { TranscriptEventReader } from './stream.ts';

/** Sound becomes text, in its own language or in English. */
export const transcriptions: Dialect = {
  protocol: 'transcriptions',
  members: [],
  mayNotStream: true,
  readRequest: readTranscriptionRequest,
  spliceRequest: ({ body }, { form }, forwardModel) =>
    form === undefined ? [body] : writeForm(body, form, forwardModel),
  readResponse: readTranscript,
  relayStream: (framing, _facts, modelId) => new Relay(framing, new TranscriptEventReader(), modelId),
  // What nobody reports is charged by the length of the sound.
  countInput: (_request, { inputTokensLikely = 0 }) => inputTokensLikely,
  encodeStreamError: (_framing, error) => encodeImagesError(error),
  keepAlive: () => Buffer.from(': keep-alive\n\n'),
};
