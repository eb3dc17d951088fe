import type { AnswerError, Finish, HubUsage } from '../../hub/answer.ts';
import type { Session, StreamEncoder } from '../../hub/codec.ts';
import { type JsonObject, writeJson } from '../../hub/content/json.ts';
import type { HubEvent, PartHead } from '../../hub/event.ts';
import { visibleText } from '../../hub/part.ts';
import { encodeFinish } from '../finish.ts';
import { encodeLogprobs } from '../logprobs.ts';
import { encodeDetails } from '../reasoning-details.ts';
import { encodeUsage } from '../usage.ts';
import {
  encodeCitation,
  encodeImage,
  encodeSignatures,
  isNative,
  showsThinking,
  toRefusalText,
} from './answer.ts';

type CallHead = Extract<PartHead, { kind: 'tool-call' }>;

/** The state of one choice. */
interface ChoiceState {
  /** The beginning of each of its chunks, up to the delta. */
  readonly opening: string;
  open: PartHead | undefined;
  /** Calls are numbered among themselves, not among the parts. */
  calls: number;
  /** The open call has some arguments. */
  hasArguments: boolean;
  hasRefusal: boolean;
  isFinished: boolean;
  /** The length of the content, and where the open part begins in it: annotations count from the start. */
  contentLength: number;
  partOffset: number;
  images: number;
}

type Handlers = { readonly [Kind in HubEvent['kind']]?: (event: Extract<HubEvent, { kind: Kind }>) => void };

/** Writes chunks. Everything except the text itself is made once for each choice. */
export class ChatStreamEncoder implements StreamEncoder {
  readonly nextSequenceNumber = undefined;
  readonly #session: Session;
  readonly #showsThinking: boolean;
  readonly #isLegacy: boolean;
  readonly #head: string;
  /** If the client asks for usage, every chunk has the field. */
  readonly #closing: string;
  readonly #choices: (ChoiceState | undefined)[] = [];
  #usage: HubUsage | undefined;
  #text = '';
  #isOver = false;

  readonly #handlers: Handlers = {
    start: ({ usage }) => {
      this.#usage = usage ?? this.#usage;
      this.#choice(0);
    },
    part: ({ choice, head }) => this.#begin(this.#choice(choice), head),
    delta: (event) => this.#say(event),
    signature: ({ choice, signature }) => {
      const state = this.#choice(choice);
      if (state.open?.kind === 'text') {
        this.#extra(state, { extra_content: encodeSignatures([signature], this.#session) });
      } else if (isNative(this.#session)) {
        // The text was already sent. What is left of the entry is its signature.
        const details = encodeDetails({ kind: 'reasoning', text: '', signature });
        if (details.length > 0) this.#extra(state, { reasoning_details: details });
      }
    },
    citation: ({ choice, citation }) => {
      const state = this.#choice(choice);
      const place = { offset: state.partOffset, length: state.contentLength - state.partOffset };
      this.#extra(state, { annotations: [encodeCitation(citation, place)] });
    },
    'part-end': ({ choice }) => this.#close(this.#choice(choice)),
    usage: ({ usage }) => {
      this.#usage = usage;
    },
    finish: ({ choice, finish }) => this.#finish(this.#choice(choice), finish),
    error: ({ error }) => this.#fail(error),
    end: () => this.#end(),
  };

  constructor(session: Session) {
    this.#session = session;
    this.#isLegacy = session.request.legacyFunctions === true;
    this.#showsThinking = showsThinking(session);
    const id = JSON.stringify(`chatcmpl-${session.callId}`);
    const model = JSON.stringify(session.modelId);
    this.#head =
      `data: {"id":${id},"object":"chat.completion.chunk","created":${session.createdAtS},` +
      `"model":${model},`;
    this.#closing = session.request.includeUsage ? '}],"usage":null}\n\n' : '}]}\n\n';
  }

  push(event: HubEvent): void {
    if (this.#isOver) return;
    const handle = this.#handlers[event.kind] as ((event: HubEvent) => void) | undefined;
    handle?.(event);
  }

  take(): string {
    const text = this.#text;
    this.#text = '';
    return text;
  }

  /** The role comes first, and once: the SDK refuses a choice without one. */
  #choice(index: number): ChoiceState {
    const known = this.#choices[index];
    if (known !== undefined) return known;
    const state: ChoiceState = {
      opening: `${this.#head}"choices":[{"index":${index},"delta":`,
      open: undefined,
      calls: 0,
      hasArguments: false,
      hasRefusal: false,
      isFinished: false,
      contentLength: 0,
      partOffset: 0,
      images: 0,
    };
    this.#choices[index] = state;
    this.#chunk(state, '{"role":"assistant","content":"","refusal":null}');
    return state;
  }

  #chunk(state: ChoiceState, delta: string): void {
    this.#text += `${state.opening}${delta},"finish_reason":null${this.#closing}`;
  }

  #extra(state: ChoiceState, delta: JsonObject): void {
    this.#chunk(state, writeJson(delta));
  }

  #begin(state: ChoiceState, head: PartHead): void {
    this.#close(state);
    state.open = head;
    state.partOffset = state.contentLength;
    state.hasArguments = false;
    if (head.kind === 'tool-call') this.#beginCall(state, head);
    else if (head.kind === 'image') {
      const source = { kind: 'bytes', mime: head.mime, base64: head.base64 } as const;
      this.#extra(state, { images: encodeImage(source, state.images++) });
    } else if (head.kind === 'server-tool' && visibleText(head) !== '') {
      state.contentLength += head.text.length;
      this.#chunk(state, `{"content":${JSON.stringify(head.text)}}`);
    }
  }

  #beginCall(state: ChoiceState, head: CallHead): void {
    const { id, name, custom, signatures } = head;
    if (this.#isLegacy) {
      this.#beginLegacyCall(state, head);
      return;
    }
    const body = custom ? { custom: { name, input: '' } } : { function: { name, arguments: '' } };
    const extra =
      signatures === undefined || signatures.length === 0
        ? {}
        : { extra_content: encodeSignatures(signatures, this.#session) };
    const call = { index: state.calls, id, type: custom ? 'custom' : 'function', ...body, ...extra };
    state.calls++;
    this.#extra(state, { tool_calls: [call] });
  }

  /** The old form holds one call only. */
  #beginLegacyCall(state: ChoiceState, { name, signatures = [] }: CallHead): void {
    if (state.calls++ > 0) return;
    const extra =
      signatures.length === 0 ? {} : { extra_content: encodeSignatures(signatures, this.#session) };
    this.#extra(state, { function_call: { name, arguments: '' }, ...extra });
  }

  #sayArguments(state: ChoiceState, head: CallHead, quoted: string): void {
    if (!this.#isLegacy) this.#chunk(state, argumentsDelta(state, head, quoted));
    else if (state.calls === 1) this.#chunk(state, `{"function_call":{"arguments":${quoted}}}`);
  }

  #say(event: Extract<HubEvent, { kind: 'delta' }>): void {
    const state = this.#choice(event.choice);
    const { text, logprobs } = event;
    const quoted = JSON.stringify(text);
    switch (state.open?.kind) {
      case 'tool-call':
        state.hasArguments ||= text !== '';
        this.#sayArguments(state, state.open, quoted);
        return;
      case 'reasoning':
        if (this.#showsThinking) this.#chunk(state, `{"reasoning_content":${quoted}}`);
        return;
      case 'refusal':
        state.hasRefusal = true;
        this.#chunk(state, `{"refusal":${quoted}}`);
        return;
      default:
        state.contentLength += text.length;
        if (logprobs === undefined) this.#chunk(state, `{"content":${quoted}}`);
        else this.#chunk(state, `{"content":${quoted}},"logprobs":${writeJson(encodeLogprobs(logprobs))}`);
    }
  }

  /** Arguments are never empty: a call without any gets an empty object. */
  #close(state: ChoiceState): void {
    const { open } = state;
    if (open?.kind === 'tool-call' && !open.custom && !state.hasArguments) {
      this.#sayArguments(state, open, '"{}"');
    }
    state.open = undefined;
  }

  #finish(state: ChoiceState, finish: Finish): void {
    if (state.isFinished) return;
    this.#close(state);
    const explanation = state.hasRefusal ? null : toRefusalText({ finish });
    const held = { calls: state.calls > 0, refusal: state.hasRefusal };
    if (explanation !== null) this.#chunk(state, `{"refusal":${JSON.stringify(explanation)}}`);
    state.isFinished = true;
    const reason = JSON.stringify(encodeFinish(finish, held, this.#session));
    this.#text += `${state.opening}{},"finish_reason":${reason}${this.#closing}`;
  }

  /** No `[DONE]` follows: an answer without it counts as broken (rule I-34). */
  #fail({ message, type, code }: AnswerError): void {
    this.#isOver = true;
    const error = { message, type: type ?? 'server_error', param: null, code: code ?? null };
    this.#text += `data: ${JSON.stringify({ error })}\n\n`;
  }

  #end(): void {
    this.#choice(0);
    for (const state of this.#choices) {
      if (state !== undefined) this.#finish(state, { reason: state.calls > 0 ? 'tool' : 'stop' });
    }
    // A later chunk without usage would erase it in the SDK, so this chunk is the last.
    if (this.#session.request.includeUsage && this.#usage !== undefined) {
      this.#text += `${this.#head}"choices":[],"usage":${writeJson(encodeUsage(this.#usage))}}\n\n`;
    }
    this.#text += 'data: [DONE]\n\n';
    this.#isOver = true;
  }
}

/** Later fragments of a call have only its number: strict clients refuse repeated names. */
function argumentsDelta(state: ChoiceState, head: CallHead, quoted: string): string {
  const body = head.custom ? `"custom":{"input":${quoted}}` : `"function":{"arguments":${quoted}}`;
  return `{"tool_calls":[{"index":${state.calls - 1},${body}}]}`;
}
