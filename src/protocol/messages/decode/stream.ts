import { WAITING_BLOCK_EVENTS_MAX } from '../../../bounds.ts';
import type { Session, StreamDecoder } from '../../hub/codec.ts';
import {
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  RawJson,
  readJson,
} from '../../hub/content/json.ts';
import type { Emit, PartHead } from '../../hub/event.ts';
import type { Citation } from '../../hub/part.ts';
import { type Figures, overlayFigures } from '../../meter/usage-report.ts';
import { decodeCitation } from '../citations.ts';
import { decodeError } from '../errors.ts';
import { findText, rawObject } from '../fields.ts';
import { decodeFinish } from '../finish.ts';
import { decodeUsage } from '../usage.ts';
import { vendorReasoning } from './reasoning.ts';
import { serverTool } from './server-text.ts';

/** The kind of the open block. Deltas of another kind open a new part. */
type BlockKind = 'none' | 'text' | 'reasoning' | 'call' | 'server';

interface State {
  readonly issuer: string;
  readonly emit: Emit;
  isStarted: boolean;
  isFinished: boolean;
  isEnded: boolean;
  isCalled: boolean;
  kind: BlockKind;
  index: number;
  /** Blocks that began before the open one ended. Their events wait for it. */
  readonly waiting: Map<number, JsonObject[]>;
  waitingCount: number;
  /** The data of the open block that is emitted when it ends. */
  block: JsonObject;
  input: string;
  textLength: number;
  signature: string;
  citations: JsonObject[];
  figures: Figures | undefined;
  stop: JsonObject;
}

const NO_KEYS: ReadonlySet<string> = new Set();

type Handler = (state: State, event: JsonObject, figures?: Figures) => void;

const HANDLERS: ReadonlyMap<string, Handler> = new Map<string, Handler>([
  ['message_start', onStart],
  ['content_block_start', onBlockStart],
  ['content_block_delta', onBlockDelta],
  ['content_block_stop', onBlockStop],
  ['message_delta', onMessageDelta],
  ['message_stop', conclude],
  ['error', onError],
]);

/** Rule C-61. Lenient: compatible vendors omit events, repeat them or interleave blocks. */
export class MessagesStreamDecoder implements StreamDecoder {
  readonly #state: State;

  constructor(session: Session, emit: Emit) {
    this.#state = {
      issuer: session.target.issuer,
      emit,
      isStarted: false,
      isFinished: false,
      isEnded: false,
      isCalled: false,
      kind: 'none',
      index: -1,
      waiting: new Map(),
      waitingCount: 0,
      block: {},
      input: '',
      textLength: 0,
      signature: '',
      citations: [],
      figures: undefined,
      stop: {},
    };
  }

  push(event: JsonObject, figures?: Figures): void {
    const state = this.#state;
    if (state.isFinished || typeof event.type !== 'string') return;
    HANDLERS.get(event.type)?.(state, event, figures);
  }

  finish(): void {
    const state = this.#state;
    if (state.isEnded) return;
    conclude(state);
    state.isEnded = true;
    state.emit({ kind: 'end' });
  }
}

/** A second start is ignored. Relays that join streams send one; that of another message breaks the relay. */
function onStart(state: State, event: JsonObject, figures?: Figures): void {
  if (state.isStarted) return;
  const message = isObject(event.message) ? event.message : {};
  state.isStarted = true;
  state.figures = isObject(message.usage) ? (figures?.shown ?? figures) : undefined;
  const usage = state.figures === undefined ? undefined : decodeUsage(state.figures);
  state.emit({ kind: 'start', id: findText(message.id), usage });
  if (isArray(message.content) && message.content.length > 0) replayWhole(state, message);
}

/** An answer that was complete before its stream began: calls from running code are in its start event. */
function replayWhole(state: State, message: JsonObject): void {
  state.stop = message;
  for (const block of (message.content as readonly JsonValue[]).filter(isObject)) {
    openBlock(state, block);
    closeBlock(state);
  }
}

function ensureStarted(state: State): void {
  if (!state.isStarted) onStart(state, {});
}

function readIndex(event: JsonObject): number {
  return typeof event.index === 'number' ? event.index : 0;
}

function onBlockStart(state: State, event: JsonObject): void {
  ensureStarted(state);
  const index = readIndex(event);
  if (state.kind !== 'none') {
    if (index !== state.index && wait(state, index, event)) return;
    closeBlock(state);
  }
  state.index = index;
  openBlock(state, isObject(event.content_block) ? event.content_block : {});
}

/** False if too much is waiting: then the open block is closed. */
function wait(state: State, index: number, event: JsonObject): boolean {
  if (state.waitingCount >= WAITING_BLOCK_EVENTS_MAX) return false;
  const events = state.waiting.get(index);
  if (events === undefined) state.waiting.set(index, [event]);
  else events.push(event);
  state.waitingCount++;
  return true;
}

function openBlock(state: State, block: JsonObject): void {
  state.block = block;
  switch (block.type) {
    case 'text':
      openPart(state, 'text', { kind: 'text' });
      addText(state, findText(block.text));
      break;
    case 'thinking':
      openPart(state, 'reasoning', { kind: 'reasoning' });
      addText(state, findText(block.thinking));
      state.signature = findText(block.signature) ?? '';
      break;
    case 'redacted_thinking':
      openPart(state, 'reasoning', { kind: 'reasoning' });
      break;
    case 'tool_use': {
      const [id, name] = [findText(block.id) ?? '', findText(block.name) ?? ''];
      openPart(state, 'call', { kind: 'tool-call', id, name, custom: false });
      state.isCalled = true;
      break;
    }
    case 'fallback':
      break;
    default:
      // A vendor tool is emitted when it is complete.
      state.kind = 'server';
  }
}

function openPart(state: State, kind: BlockKind, head: PartHead): void {
  state.kind = kind;
  state.textLength = 0;
  state.emit({ kind: 'part', choice: 0, head });
}

/** Some vendors send the first text with the start of the block. */
function addText(state: State, text: string | undefined): void {
  if (text === undefined || text === '') return;
  state.textLength += text.length;
  state.emit({ kind: 'delta', choice: 0, text });
}

function onBlockDelta(state: State, event: JsonObject): void {
  const { delta } = event;
  if (!isObject(delta)) return;
  if (event.index !== state.index || state.kind === 'none') {
    const index = readIndex(event);
    if (state.waiting.has(index) && wait(state, index, event)) return;
    if (state.kind === 'none') state.index = index;
  }
  switch (delta.type) {
    case 'text_delta':
      ensureKind(state, 'text');
      addText(state, findText(delta.text));
      break;
    case 'thinking_delta':
      ensureKind(state, 'reasoning');
      addText(state, findText(delta.thinking));
      break;
    case 'input_json_delta':
      addInput(state, findText(delta.partial_json) ?? '');
      break;
    case 'signature_delta':
      // The newest signature replaces earlier ones.
      if (state.kind === 'reasoning') state.signature = findText(delta.signature) ?? '';
      break;
    case 'citations_delta':
      if (isObject(delta.citation)) state.citations.push(delta.citation);
      break;
  }
}

/** Text without a block of its kind opens one, so that no text is lost. */
function ensureKind(state: State, kind: 'text' | 'reasoning'): void {
  if (state.kind === kind) return;
  ensureStarted(state);
  if (state.kind !== 'none') closeBlock(state);
  state.block = {};
  openPart(state, kind, { kind });
}

function addInput(state: State, json: string): void {
  if (json === '' || (state.kind !== 'call' && state.kind !== 'server')) return;
  if (state.kind === 'call') state.emit({ kind: 'delta', choice: 0, text: json });
  // Kept only for vendor tools. For a call it only matters whether there was any.
  state.input = state.kind === 'server' ? state.input + json : 'seen';
}

function onBlockStop(state: State, event: JsonObject): void {
  const index = readIndex(event);
  if (index !== state.index && state.waiting.has(index) && wait(state, index, event)) return;
  if (state.kind === 'none' || index !== state.index) return;
  closeBlock(state);
  replayWaiting(state);
}

/** Replays the waiting blocks in the order in which they began. Each may end with events that waited too. */
function replayWaiting(state: State): void {
  while (state.kind === 'none' && state.waiting.size > 0) {
    const [[index, events]] = state.waiting as unknown as [[number, JsonObject[]]];
    state.waiting.delete(index);
    state.waitingCount -= events.length;
    for (const event of events) {
      if (event.type === 'content_block_stop') closeBlock(state);
      else HANDLERS.get(event.type as string)?.(state, event);
    }
  }
}

function closeBlock(state: State): void {
  const { kind, emit } = state;
  state.kind = 'none';
  if (kind === 'none') return;
  if (kind === 'server') emit({ kind: 'part', choice: 0, head: serverTool(wholeBlock(state)) });
  else if (kind === 'call') closeCall(state);
  else if (kind === 'reasoning') closeReasoning(state);
  else for (const citation of finishCitations(state)) emit({ kind: 'citation', choice: 0, citation });
  emit({ kind: 'part-end', choice: 0 });
  state.block = {};
  state.input = '';
  state.signature = '';
  state.citations = [];
}

/** If no delta came, the input in the start of the block counts. */
function closeCall(state: State): void {
  if (state.input !== '') return;
  const text = rawObject(state.block.input) ?? '{}';
  if (text !== '{}') state.emit({ kind: 'delta', choice: 0, text });
}

function closeReasoning({ block, signature: text, issuer, emit }: State): void {
  const signed = block.type === 'redacted_thinking' ? block : { type: 'thinking', signature: text };
  const signature = vendorReasoning(signed, issuer)[0]?.signature;
  if (signature !== undefined) emit({ kind: 'signature', choice: 0, signature });
}

function finishCitations({ citations, textLength }: State): readonly Citation[] {
  return citations.flatMap((one) => decodeCitation(one, textLength) ?? []);
}

function wholeBlock({ block, input }: State): JsonObject {
  const whole = readJson(input, NO_KEYS);
  return whole === undefined ? block : { ...block, input: new RawJson(input) };
}

/** May come more than once. Figures are cumulative, and the last reason counts. */
function onMessageDelta(state: State, event: JsonObject, figures?: Figures): void {
  ensureStarted(state);
  const { delta } = event;
  if (isObject(delta) && typeof delta.stop_reason === 'string') state.stop = delta;
  if (!isObject(event.usage) || figures === undefined) return;
  state.figures = overlayFigures(state.figures ?? {}, figures.shown ?? figures);
  state.emit({ kind: 'usage', usage: decodeUsage(state.figures) });
}

function onError(state: State, event: JsonObject): void {
  state.isFinished = true;
  state.isEnded = true;
  state.emit({ kind: 'error', error: decodeError(event) });
}

/** Emits the finish reason when nothing can follow. */
function conclude(state: State): void {
  if (state.isFinished) return;
  ensureStarted(state);
  closeBlock(state);
  while (state.waiting.size > 0) {
    replayWaiting(state);
    closeBlock(state);
  }
  state.isFinished = true;
  const called = state.isCalled ? 'called' : 'not-called';
  state.emit({ kind: 'finish', choice: 0, finish: decodeFinish(state.stop, called) });
}
