import { ANSWERS_PER_CALL_MAX, CALLS_PER_ANSWER_MAX } from '../../../bounds.ts';
import type { Session, StreamDecoder } from '../../hub/codec.ts';
import { isArray, isObject, type JsonObject, type JsonValue, RawJson } from '../../hub/content/json.ts';
import { findAddress } from '../../hub/content/media.ts';
import type { Emit } from '../../hub/event.ts';
import { type Figures, renewFigures } from '../../meter/usage-report.ts';
import { findFilledText, listObjects, objectOrEmpty } from '../fields.ts';
import { decodeLogprobs } from '../logprobs.ts';
import { decodeDetail } from '../reasoning-details.ts';
import { decodeUsage } from '../usage.ts';
import { decodeError } from './answer.ts';
import { argumentsText, decodeCitation, signatureList, thinkingText } from './assistant.ts';
import { ChoiceDecoder } from './choice.ts';

/** One chunk's content for a choice. */
interface ChoiceDelta {
  readonly decoder: ChoiceDecoder;
  readonly delta: JsonObject;
  readonly choice: JsonObject;
  readonly issuer: string;
}

/** Decodes a vendor's chunks. Finish reasons are emitted last, because usage and more may follow them. */
export class ChatStreamDecoder implements StreamDecoder {
  readonly #emit: Emit;
  readonly #issuer: string;
  readonly #choices: (ChoiceDecoder | undefined)[] = [];
  #figures: Figures = {};
  #state: 'new' | 'started' | 'failed' | 'ended' = 'new';

  constructor(session: Session, emit: Emit) {
    this.#issuer = session.target.issuer;
    this.#emit = emit;
  }

  push(event: JsonObject, figures?: Figures): void {
    if (this.#state === 'failed' || this.#state === 'ended') return;
    const error = event.error === undefined && event.choices !== undefined ? undefined : decodeError(event);
    if (error !== undefined) {
      this.#state = 'failed';
      this.#emit({ kind: 'error', error });
      return;
    }
    if (this.#state === 'new') this.#start(findFilledText(event.id));
    const { choices } = event;
    if (isArray(choices)) for (const choice of choices) if (isObject(choice)) this.#read(choice);
    if (figures !== undefined) this.#report(figures);
  }

  #report(figures: Figures): void {
    this.#figures = renewFigures(this.#figures, figures);
    const usage = decodeUsage(this.#figures);
    if (usage !== undefined) this.#emit({ kind: 'usage', usage });
  }

  finish(): void {
    if (this.#state === 'failed' || this.#state === 'ended') return;
    if (this.#state === 'new') this.#start(undefined);
    // An answer without any choice is an empty one.
    this.#choice(0);
    for (const decoder of this.#choices) decoder?.finish();
    this.#state = 'ended';
    this.#emit({ kind: 'end' });
  }

  #start(id: string | undefined): void {
    this.#state = 'started';
    this.#emit({ kind: 'start', id, usage: undefined });
  }

  #choice(index: number): ChoiceDecoder {
    const known = this.#choices[index];
    if (known !== undefined) return known;
    const decoder = new ChoiceDecoder(index, this.#emit, CALLS_PER_ANSWER_MAX);
    this.#choices[index] = decoder;
    return decoder;
  }

  #read(choice: JsonObject): void {
    const index = choice.index ?? 0;
    if (typeof index !== 'number' || !Number.isInteger(index)) return;
    if (index < 0 || index >= ANSWERS_PER_CALL_MAX) return;
    const decoder = this.#choice(index);
    // Some vendors answer a stream request with a plain answer; others repeat all of it beside each delta.
    const delta = choice.delta ?? choice.message;
    if (isObject(delta)) readDelta({ decoder, delta, choice, issuer: this.#issuer });
    const reason = choice.finish_reason;
    if (reason !== null && reason !== undefined && reason !== '') decoder.finishWith(reason);
  }
}

/**
 * Reads the fields of a delta in their order. They are written out, because a loop over a table of names
 * costs several times as much, and this runs for every delta of every stream.
 */
function readDelta(choiceDelta: ChoiceDelta): void {
  const { delta } = choiceDelta;
  const { reasoning_content: thought, reasoning, reasoning_details: details, content } = delta;
  if (isPresent(thought)) readReasoning(thought, choiceDelta);
  // If both names have the same text, it is emitted once.
  else if (isPresent(reasoning)) readReasoning(reasoning, choiceDelta);
  if (isPresent(details)) readDetails(details, choiceDelta);
  if (isPresent(content)) readContent(content, choiceDelta);
  const { refusal, annotations, audio, images } = delta;
  if (isPresent(refusal)) readRefusal(refusal, choiceDelta);
  if (isPresent(annotations)) readAnnotations(annotations, choiceDelta);
  if (isPresent(audio)) readAudio(audio, choiceDelta);
  if (isPresent(images)) readImages(images, choiceDelta);
  const { tool_calls: calls, function_call: call, extra_content: extra } = delta;
  if (isPresent(calls)) readCalls(calls, choiceDelta);
  if (isPresent(call)) readFunctionCall(call, choiceDelta);
  if (isPresent(extra)) readSignature(extra, choiceDelta);
}

function isPresent(value: JsonValue | undefined): value is JsonValue {
  return value !== undefined && value !== null && value !== '';
}

function readReasoning(value: JsonValue, { decoder }: ChoiceDelta): void {
  if (typeof value === 'string') decoder.say('reasoning', value, undefined);
}

function readDetails(value: JsonValue, { decoder, delta, issuer }: ChoiceDelta): void {
  const hasReasoningText =
    (findFilledText(delta.reasoning_content) ?? findFilledText(delta.reasoning)) !== undefined;
  for (const entry of listObjects(value)) {
    const { text, signatures } = decodeDetail(entry, issuer);
    if (text !== '' && !hasReasoningText) decoder.say('reasoning', text, undefined);
    for (const signature of signatures) decoder.seal('reasoning', signature);
  }
}

function readContent(value: JsonValue, { decoder, choice }: ChoiceDelta): void {
  const logprobs = choice.logprobs === null ? undefined : decodeLogprobs(choice.logprobs);
  if (typeof value === 'string') decoder.say('text', value, logprobs);
  for (const part of listObjects(value)) {
    const thoughts = part.type === 'thinking' ? thinkingText(part.thinking) : '';
    const text = part.type === 'text' ? findFilledText(part.text) : undefined;
    if (thoughts !== '') decoder.say('reasoning', thoughts, undefined);
    if (text !== undefined) decoder.say('text', text, undefined);
  }
}

function readRefusal(value: JsonValue, { decoder }: ChoiceDelta): void {
  if (typeof value === 'string') decoder.say('refusal', value, undefined);
}

function readAnnotations(value: JsonValue, { decoder }: ChoiceDelta): void {
  for (const annotation of listObjects(value)) {
    for (const citation of decodeCitation(annotation)) decoder.cite(citation);
  }
}

/** Audio cannot be converted; its transcript can. */
function readAudio(value: JsonValue, { decoder }: ChoiceDelta): void {
  const transcript = findFilledText(objectOrEmpty(value).transcript);
  if (transcript !== undefined) decoder.say('text', transcript, undefined);
}

function readImages(value: JsonValue, { decoder }: ChoiceDelta): void {
  for (const image of listObjects(value)) {
    const url = findFilledText(objectOrEmpty(image.image_url).url);
    const source = url === undefined ? undefined : findAddress(url);
    if (source?.kind === 'bytes') decoder.show({ kind: 'image', mime: source.mime, base64: source.base64 });
  }
}

function readCalls(value: JsonValue, { decoder, issuer }: ChoiceDelta): void {
  if (!isArray(value)) return;
  for (const call of value) {
    if (!isObject(call)) continue;
    const custom = call.type === 'custom' || (isObject(call.custom) && !isObject(call.function));
    const body = objectOrEmpty(custom ? call.custom : call.function);
    const input = custom ? body.input : body.arguments;
    decoder.call({
      index: typeof call.index === 'number' ? call.index : undefined,
      id: findFilledText(call.id) ?? '',
      name: findFilledText(body.name) ?? '',
      custom,
      arguments: typeof input === 'string' ? input : wholeArguments(input),
      signatures: signatureList(call.extra_content, 'call', issuer),
    });
  }
}

/** Some vendors send the object itself. Nothing means no arguments so far, not an empty object. */
function wholeArguments(input: JsonValue | undefined): string {
  return isObject(input) || input instanceof RawJson ? argumentsText(input) : '';
}

/** Calls in the old style: one in each answer, without an id. */
function readFunctionCall(value: JsonValue, { decoder }: ChoiceDelta): void {
  const call = objectOrEmpty(value);
  const name = findFilledText(call.name) ?? '';
  const input = findFilledText(call.arguments) ?? '';
  if (name === '' && input === '') return;
  decoder.call({ index: 0, id: '', name, custom: false, arguments: input, signatures: undefined });
}

/** A signature of the whole message. In a stream only the text can carry it. */
function readSignature(value: JsonValue, { decoder, issuer }: ChoiceDelta): void {
  for (const signature of signatureList(value, 'text', issuer) ?? []) decoder.seal('text', signature);
}
