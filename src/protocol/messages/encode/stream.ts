import type { Finish, HubUsage } from '../../hub/answer.ts';
import type { Session, StreamEncoder } from '../../hub/codec.ts';
import type { HubEvent, PartHead } from '../../hub/event.ts';
import { type Citation, type ServerToolPart, visibleText } from '../../hub/part.ts';
import type { Signature } from '../../hub/signature.ts';
import { encodeCitation } from '../citations.ts';
import { encodeError } from '../errors.ts';
import { encodeFinish } from '../finish.ts';
import { searchBlocks } from '../search-blocks.ts';
import { encodeUsage, NO_HUB_USAGE } from '../usage.ts';
import { messageId, PICTURE_NOTE } from './answer.ts';
import { encodeReasoningValue } from './reasoning.ts';

/**
 * The open part. Blocks of text and thinking begin with their first character: an empty one would be refused
 * when the client sends it back, and only the end of hidden thinking shows what block it is.
 */
type OpenPart = 'none' | 'text' | 'reasoning' | 'refusal' | 'call';

const DELTA_KIND: Readonly<Record<Exclude<OpenPart, 'none'>, string>> = {
  text: '"text_delta","text":',
  refusal: '"text_delta","text":',
  reasoning: '"thinking_delta","thinking":',
  call: '"input_json_delta","partial_json":',
};

/** Rule C-60: one block after the other; `message_delta` only when everything is known. */
export class MessagesStreamEncoder implements StreamEncoder {
  readonly nextSequenceNumber = undefined;
  readonly #session: Session;
  #out = '';
  #isStarted = false;
  /** Nothing may follow an error or the end. */
  #isOver = false;
  #open: OpenPart = 'none';
  #isBegun = false;
  #index = 0;
  /** The beginning of a delta event up to its text, made once for each block. */
  #deltaHead = '';
  #signature: Signature | undefined;
  #isCalled = false;
  /** The open call's input is free text: it is wrapped in an object, as in a plain answer. */
  #isCustom = false;
  #refusal = '';
  /** The text of the open part: citations repeat it. */
  #text = '';
  #usage: HubUsage | undefined;
  #finish: Finish | undefined;

  constructor(session: Session) {
    this.#session = session;
  }

  take(): string {
    const out = this.#out;
    this.#out = '';
    return out;
  }

  push(event: HubEvent): void {
    // The protocol has one answer only.
    if (this.#isOver || ('choice' in event && event.choice !== 0)) return;
    switch (event.kind) {
      case 'delta':
        this.#delta(event.text);
        break;
      case 'start':
        this.#start(event.usage);
        break;
      case 'part':
        this.#part(event.head);
        break;
      case 'signature':
        if (this.#open === 'reasoning') this.#signature = event.signature;
        break;
      case 'part-end':
        this.#close();
        break;
      case 'usage':
        this.#usage = event.usage;
        break;
      case 'finish':
        this.#close();
        this.#finish = event.finish;
        break;
      case 'error':
        this.#emit('error', JSON.stringify(encodeError(event.error)));
        this.#isOver = true;
        break;
      case 'end':
        this.#end();
        break;
      case 'citation':
        this.#cite(event.citation);
        break;
    }
  }

  #emit(name: string, data: string): void {
    this.#out += `event: ${name}\ndata: ${data}\n\n`;
  }

  #start(usage: HubUsage | undefined): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    this.#usage = usage;
    const message = {
      id: messageId(this.#session),
      type: 'message',
      role: 'assistant',
      model: this.#session.modelId,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: encodeUsage(usage ?? NO_HUB_USAGE, undefined),
    };
    this.#emit('message_start', JSON.stringify({ type: 'message_start', message }));
  }

  #part(head: PartHead): void {
    this.#start(undefined);
    this.#close();
    switch (head.kind) {
      case 'text':
      case 'reasoning':
      case 'refusal':
        this.#open = head.kind;
        break;
      case 'tool-call':
        this.#open = 'call';
        this.#isCalled = true;
        this.#begin(JSON.stringify({ type: 'tool_use', id: head.id, name: head.name, input: {} }));
        if (head.custom) this.#delta('{"input":"');
        this.#isCustom = head.custom;
        break;
      case 'image':
        this.#whole(PICTURE_NOTE);
        break;
      case 'server-tool':
        if (head.protocol === 'messages') this.#block(head.raw);
        else this.#foreign(head);
        break;
    }
  }

  #delta(text: string): void {
    if (text === '') return;
    if (this.#open === 'none') {
      this.#start(undefined);
      this.#open = 'text';
    }
    if (!this.#isBegun) this.#begin(emptyBlock(this.#open));
    if (this.#open === 'refusal') this.#refusal += text;
    else if (this.#open === 'text') this.#text += text;
    const quoted = this.#isCustom ? JSON.stringify(text).slice(1, -1) : text;
    this.#out += this.#deltaHead + JSON.stringify(quoted) + DELTA_TAIL;
  }

  /** A citation of the open text. A text that has not begun cannot have one. */
  #cite(citation: Citation): void {
    if (this.#open !== 'text' || !this.#isBegun) return;
    const delta = { type: 'citations_delta', citation: encodeCitation(citation, this.#text) };
    const event = { type: 'content_block_delta', index: this.#index, delta };
    this.#emit('content_block_delta', JSON.stringify(event));
  }

  #begin(block: string): void {
    this.#isBegun = true;
    const index = this.#index;
    this.#emit(
      'content_block_start',
      `{"type":"content_block_start","index":${index},"content_block":${block}}`,
    );
    if (this.#open === 'none') return;
    this.#deltaHead =
      'event: content_block_delta\ndata: {"type":"content_block_delta","index":' +
      `${index},"delta":{"type":${DELTA_KIND[this.#open]}`;
  }

  /** A text that is complete at once. */
  #whole(text: string): void {
    this.#open = 'text';
    this.#delta(text);
    this.#close();
  }

  /** The input of a search is sent in pieces, like that of every call: clients join the pieces. */
  #foreign(head: ServerToolPart): void {
    const search = head.search && searchBlocks(head.search, `${this.#session.callId}_${this.#index}`);
    if (search === undefined) {
      this.#whole(visibleText(head));
      return;
    }
    this.#open = 'call';
    this.#begin(JSON.stringify({ ...search.use, input: {} }));
    this.#delta(JSON.stringify(search.use.input));
    this.#close();
    this.#block(JSON.stringify(search.result));
  }

  /** A block that is complete with its start event. */
  #block(raw: string): void {
    this.#begin(raw);
    this.#stop();
  }

  #close(): void {
    if (this.#open === 'reasoning') this.#endReasoning();
    if (this.#isCustom) {
      this.#isCustom = false;
      this.#delta('"}');
    }
    if (this.#isBegun) this.#stop();
    this.#open = 'none';
    this.#signature = undefined;
  }

  /** The signature comes right before the end of its block. Hidden thinking has its own block type. */
  #endReasoning(): void {
    const value = encodeReasoningValue(this.#isBegun ? '…' : '', this.#signature, this.#session);
    if (value.kind === 'redacted') {
      this.#open = 'none';
      this.#begin(JSON.stringify({ type: 'redacted_thinking', data: value.data }));
    } else if (value.kind === 'thinking' && value.signature !== '') {
      if (!this.#isBegun) this.#begin(emptyBlock('reasoning'));
      const delta = { type: 'signature_delta', signature: value.signature };
      this.#emit(
        'content_block_delta',
        JSON.stringify({ type: 'content_block_delta', index: this.#index, delta }),
      );
    }
  }

  #stop(): void {
    this.#emit('content_block_stop', `{"type":"content_block_stop","index":${this.#index}}`);
    this.#index++;
    this.#isBegun = false;
    this.#text = '';
  }

  #end(): void {
    this.#start(undefined);
    this.#close();
    const finish = this.#finish ?? { reason: this.#isCalled ? 'tool' : 'stop' };
    const delta = encodeFinish(finish, this.#refusal);
    const usage = encodeUsage(this.#usage ?? NO_HUB_USAGE, undefined);
    this.#emit('message_delta', JSON.stringify({ type: 'message_delta', delta, usage }));
    this.#emit('message_stop', '{"type":"message_stop"}');
    this.#isOver = true;
  }
}

const DELTA_TAIL = '}}\n\n';

function emptyBlock(open: OpenPart): string {
  return open === 'reasoning'
    ? '{"type":"thinking","thinking":"","signature":""}'
    : '{"type":"text","text":""}';
}
