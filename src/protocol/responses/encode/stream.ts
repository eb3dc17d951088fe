import type { AnswerError } from '../../hub/answer.ts';
import type { Session, StreamEncoder } from '../../hub/codec.ts';
import { type JsonObject, writeJson } from '../../hub/content/json.ts';
import type { HubEvent } from '../../hub/event.ts';
import { listTypedTools } from '../typed-tools.ts';
import { LongTexts } from './long-texts.ts';
import { type ResponseState, responseObject, toOutcome } from './response-object.ts';
import { closeItem, closePart, openPart, pushDelta } from './stream-item.ts';
import { type EncoderState, write } from './stream-state.ts';

type Handlers = {
  readonly [Kind in HubEvent['kind']]: (
    state: EncoderState,
    event: Extract<HubEvent, { readonly kind: Kind }>,
  ) => void;
};

const HANDLERS: Handlers = {
  start: (state, event) => {
    // The last figures, if the vendor never reports again.
    state.usage = event.usage ?? state.usage;
  },
  part: (state, event) => openPart(state, event.head),
  delta: pushDelta,
  signature: (state, event) => {
    // The protocol has no field for the signature of a text.
    if (state.item?.kind === 'reasoning') state.item.signature = event.signature;
  },
  citation: (state, event) => {
    if (state.item?.kind === 'message') state.item.part?.citations.push(event.citation);
  },
  'part-end': closePart,
  usage: (state, event) => {
    state.usage = event.usage;
  },
  finish: onFinish,
  error: (state, event) => fail(state, event.error),
  end: conclude,
};

export function createEncoder(session: Session): StreamEncoder {
  const state: EncoderState = {
    session,
    typed: listTypedTools(session.request),
    out: '',
    longTexts: new LongTexts(),
    sequence: 0,
    isStarted: false,
    isOver: false,
    item: undefined,
    items: [],
    hasRefusal: false,
    usage: undefined,
    finish: undefined,
  };
  return {
    push: (event) => push(state, event),
    take: () => takeBytes(state).toString(),
    takeBytes: () => takeBytes(state),
    get nextSequenceNumber() {
      return state.sequence;
    },
  };
}

function takeBytes(state: EncoderState): Buffer {
  const { out } = state;
  state.out = '';
  return state.longTexts.toBytes(out);
}

function push(state: EncoderState, event: HubEvent): void {
  // There can be only one answer.
  if (state.isOver || ('choice' in event && event.choice !== 0)) return;
  if (!state.isStarted) start(state);
  const handle = HANDLERS[event.kind] as (state: EncoderState, event: HubEvent) => void;
  handle(state, event);
}

function start(state: EncoderState): void {
  if (state.isStarted) return;
  state.isStarted = true;
  const opening = responseText(state, { status: 'in_progress', output: [] });
  write(state, 'response.created', opening);
  write(state, 'response.in_progress', opening);
}

function responseText(state: EncoderState, response: ResponseState): string {
  return `,"response":${writeJson(responseObject(state.session, response))}`;
}

/** If a vendor refused with a reason, the reason becomes the model's text. */
function onFinish(state: EncoderState, event: Extract<HubEvent, { kind: 'finish' }>): void {
  const { finish } = event;
  state.finish = finish;
  if (finish.reason === 'refusal' && finish.message !== undefined && !state.hasRefusal) {
    openPart(state, { kind: 'refusal' });
    pushDelta(state, { kind: 'delta', choice: 0, text: finish.message });
  }
  closeItem(state, toOutcome(finish, { refusal: state.hasRefusal }).status);
}

function conclude(state: EncoderState): void {
  closeItem(state, 'completed');
  const outcome = toOutcome(state.finish ?? { reason: 'stop' }, { refusal: state.hasRefusal });
  const response = responseText(state, { ...outcome, output: state.items, usage: state.usage });
  write(state, `response.${outcome.status}`, response);
  state.isOver = true;
}

/** The vendor's stream broke off: finished items stay, and Codex reads the code. */
function fail(state: EncoderState, error: AnswerError): void {
  const details: JsonObject = { code: errorCode(error), message: error.message };
  const response = { status: 'failed', output: state.items, error: details, usage: state.usage } as const;
  write(state, 'response.failed', responseText(state, response));
  state.isOver = true;
}

/** Codes that clients of this protocol act on. */
const CODES: ReadonlySet<string> = new Set([
  ...['context_length_exceeded', 'insufficient_quota', 'rate_limit_exceeded', 'server_is_overloaded'],
  ...['slow_down', 'invalid_prompt', 'server_error', 'usage_not_included', 'cyber_policy', 'bio_policy'],
]);
const CONTEXT_FULL = /prompt is too long|context[ _](length|window)|input token count .{0,40}exceeds/i;

function errorCode(error: AnswerError): string {
  if (error.code !== undefined && CODES.has(error.code)) return error.code;
  if (CONTEXT_FULL.test(error.message)) return 'context_length_exceeded';
  if (error.status === 429) return 'rate_limit_exceeded';
  if (error.status === 503 || error.status === 529) return 'server_is_overloaded';
  return error.status >= 400 && error.status < 500 ? 'invalid_prompt' : 'server_error';
}
