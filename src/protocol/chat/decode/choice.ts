import type { Finish, Logprob } from '../../hub/answer.ts';
import type { JsonValue } from '../../hub/content/json.ts';
import type { Emit, PartHead } from '../../hub/event.ts';
import type { Citation } from '../../hub/part.ts';
import type { Signature } from '../../hub/signature.ts';
import { decodeFinish } from '../finish.ts';
import { moveCitation } from './assistant.ts';

type WordKind = 'text' | 'reasoning' | 'refusal';

/** A part that is being received. Only the first unfinished part is emitted; the others wait. */
interface Piece {
  readonly kind: PartHead['kind'];
  head: PartHead;
  isOpen: boolean;
  /** Text that arrived while the part waited. */
  held: string;
  heldLogprobs: readonly Logprob[] | undefined;
  signature: Signature | undefined;
  /** Where the part begins in the content of the message. */
  offset: number;
  readonly json: JsonProgress | undefined;
}

/** The progress of a call's arguments. It shows when the call is complete. */
interface JsonProgress {
  depth: number;
  isBegun: boolean;
  inText: boolean;
  isEscaped: boolean;
}

/** A fragment of a call in one chunk. */
export interface CallFragment {
  readonly index: number | undefined;
  readonly id: string;
  readonly name: string;
  readonly custom: boolean;
  readonly arguments: string;
  readonly signatures: readonly Signature[] | undefined;
}

/**
 * Orders the parts of one choice of a stream, although calls may be interleaved. A call is complete when its
 * arguments are a whole JSON value. Until then all later parts wait.
 */
export class ChoiceDecoder {
  readonly #choice: number;
  readonly #emit: Emit;
  readonly #callsMax: number;
  readonly #calls: Piece[] = [];
  readonly #indexes = new Map<number, Piece>();
  #live: Piece | undefined;
  #waiting: Piece[] = [];
  #contentLength = 0;
  #hasRefusal = false;
  #reason: JsonValue | undefined;

  constructor(choice: number, emit: Emit, callsMax: number) {
    this.#choice = choice;
    this.#emit = emit;
    this.#callsMax = callsMax;
  }

  say(kind: WordKind, text: string, logprobs: readonly Logprob[] | undefined): void {
    let piece = this.#last();
    if (piece === undefined || piece.kind !== kind || piece.signature !== undefined)
      piece = this.#begin({ kind });
    if (kind === 'text') this.#contentLength += text.length;
    else if (kind === 'refusal') this.#hasRefusal = true;
    this.#feed(piece, text, logprobs);
  }

  /** A signature that must be sent back with the last thinking or text. */
  seal(kind: 'text' | 'reasoning', signature: Signature): void {
    let piece = this.#last();
    if (piece === undefined || piece.kind !== kind || piece.signature !== undefined)
      piece = this.#begin({ kind });
    piece.signature = signature;
    if (piece.isOpen) this.#emit({ kind: 'signature', choice: this.#choice, signature });
  }

  /** An image, complete at once. */
  show(head: Extract<PartHead, { readonly kind: 'image' }>): void {
    this.#begin(head);
  }

  cite(citation: Citation): void {
    const piece = this.#live;
    if (piece === undefined || piece.kind !== 'text' || !piece.isOpen) return;
    this.#emit({ kind: 'citation', choice: this.#choice, citation: moveCitation(citation, -piece.offset) });
  }

  call(fragment: CallFragment): void {
    const piece = this.#findPiece(fragment);
    if (piece === undefined || piece.head.kind !== 'tool-call') return;
    const { id, name, signatures } = piece.head;
    const knowsMore = (name === '' && fragment.name !== '') || (id === '' && fragment.id !== '');
    if (knowsMore && !piece.isOpen) {
      piece.head = {
        ...piece.head,
        id: id || fragment.id,
        name: name || fragment.name,
        signatures: signatures ?? fragment.signatures,
      };
      if (piece === this.#live) this.#open(piece);
    }
    if (fragment.arguments !== '') this.#feed(piece, fragment.arguments, undefined);
    if (piece === this.#live) this.#advance();
  }

  finishWith(reason: JsonValue): void {
    this.#reason = reason;
  }

  /** The end of the stream: everything that waits is emitted, and the choice ends. */
  finish(): void {
    while (this.#live !== undefined || this.#waiting.length > 0) this.#next();
    const held = { calls: this.#calls.length > 0, refusal: this.#hasRefusal };
    const finish: Finish = decodeFinish(this.#reason, held);
    this.#emit({ kind: 'finish', choice: this.#choice, finish });
  }

  #last(): Piece | undefined {
    return this.#waiting.length === 0 ? this.#live : this.#waiting.at(-1);
  }

  #begin(head: PartHead): Piece {
    const isCall = head.kind === 'tool-call';
    const piece: Piece = {
      kind: head.kind,
      head,
      isOpen: false,
      held: '',
      heldLogprobs: undefined,
      signature: undefined,
      offset: this.#contentLength,
      json:
        isCall && !head.custom ? { depth: 0, isBegun: false, inText: false, isEscaped: false } : undefined,
    };
    this.#waiting.push(piece);
    this.#advance();
    return piece;
  }

  /** Emits the next part as soon as the one before can be complete. */
  #advance(): void {
    while (this.#waiting.length > 0 && (this.#live === undefined || isOver(this.#live))) this.#next();
  }

  #next(): void {
    const piece = this.#live;
    if (piece !== undefined) {
      if (!piece.isOpen) this.#announce(piece);
      this.#emit({ kind: 'part-end', choice: this.#choice });
    }
    this.#live = this.#waiting.shift();
    if (this.#live !== undefined) this.#open(this.#live);
  }

  /** A call is announced when its name is known. */
  #open(piece: Piece): void {
    if (piece.head.kind !== 'tool-call' || piece.head.name !== '') this.#announce(piece);
  }

  #announce(piece: Piece): void {
    piece.isOpen = true;
    this.#emit({ kind: 'part', choice: this.#choice, head: piece.head });
    if (piece.held !== '') this.#say(piece.held, piece.heldLogprobs);
    piece.held = '';
    if (piece.signature !== undefined)
      this.#emit({ kind: 'signature', choice: this.#choice, signature: piece.signature });
  }

  #feed(piece: Piece, text: string, logprobs: readonly Logprob[] | undefined): void {
    if (piece.json !== undefined) follow(piece.json, text);
    if (piece === this.#live && piece.isOpen) {
      this.#say(text, logprobs);
      return;
    }
    // Content for a part that has already ended is dropped.
    if (piece.isOpen) return;
    piece.held += text;
    if (logprobs !== undefined) piece.heldLogprobs = [...(piece.heldLogprobs ?? []), ...logprobs];
  }

  #say(text: string, logprobs: readonly Logprob[] | undefined): void {
    const choice = this.#choice;
    if (logprobs === undefined) this.#emit({ kind: 'delta', choice, text });
    else this.#emit({ kind: 'delta', choice, text, logprobs });
  }

  /**
   * The call that a fragment belongs to, possibly a new one. Some vendors send no index, others always one.
   */
  #findPiece(fragment: CallFragment): Piece | undefined {
    const { index, id, name } = fragment;
    const known = index === undefined ? this.#calls.at(-1) : this.#indexes.get(index);
    if (known !== undefined && !isAnother(known, fragment)) return known;
    if (this.#calls.length >= this.#callsMax) return undefined;
    const { custom, signatures } = fragment;
    const head = {
      kind: 'tool-call',
      id,
      name,
      custom,
      ...(signatures === undefined ? {} : { signatures }),
    } as const;
    const piece = this.#begin(head);
    this.#calls.push(piece);
    if (index !== undefined) this.#indexes.set(index, piece);
    return piece;
  }
}

/** Whether a fragment begins a new call although the last one had the same index, or none. */
function isAnother(piece: Piece, { id, name }: CallFragment): boolean {
  if (piece.head.kind !== 'tool-call') return false;
  if (id !== '' && piece.head.id !== '') return id !== piece.head.id;
  return id === '' && name !== '' && piece.head.name !== '' && isOver(piece);
}

function isOver({ json }: Piece): boolean {
  return json === undefined || (json.isBegun && json.depth === 0 && !json.inText);
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Counts brackets outside strings. */
function follow(json: JsonProgress, text: string): void {
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (json.inText) {
      if (json.isEscaped) json.isEscaped = false;
      else if (unit === BACKSLASH) json.isEscaped = true;
      else if (unit === QUOTE) json.inText = false;
    } else if (unit === QUOTE) json.inText = true;
    else if (unit === 0x7b || unit === 0x5b) json.depth++;
    else if (unit === 0x7d || unit === 0x5d) json.depth--;
    if (unit > 0x20) json.isBegun = true;
  }
}
