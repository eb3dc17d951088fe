import { MULTIPART_HEADER_BYTES_MAX, MULTIPART_PARTS_MAX } from '../../bounds.ts';
import { type FormFields, type Head, NotAForm, readBoundary, readHead } from '../images/multipart.ts';
import { foldKey } from '../pass-through/key-spelling.ts';

/** A part of a form, or a piece of the content of the part that came last. */
export type FormEvent =
  | { readonly kind: 'part'; readonly head: Head }
  | { readonly kind: 'content'; readonly bytes: Buffer }
  | { readonly kind: 'part-end' };

const FIELDS: FormFields = {
  metered: new Set(['purpose']),
  files: /^file$/,
  known: new Set(['purpose', 'file']),
};
const LINE_END = Buffer.from('\r\n');
const HEADERS_END = Buffer.from('\r\n\r\n');
const CLOSING = Buffer.from('--');

/**
 * Reads a form with a file while it arrives: nothing of the file is kept but the bytes that may be the
 * beginning of a boundary. It accepts what images/multipart.ts accepts of a whole form, and each field once.
 */
export class FormStream {
  readonly #delimiter: Buffer;
  /** A form begins with a boundary that has no line end before it. */
  #held: Buffer = LINE_END;
  #place: 'before' | 'behind-boundary' | 'head' | 'content' | 'end' = 'before';
  /** The fields so far, as the most lenient reader compares them. */
  readonly #names = new Set<string>();

  /** Throws `NotAForm`. */
  constructor(contentType: string) {
    this.#delimiter = Buffer.from(`\r\n--${readBoundary(contentType)}`);
  }

  /** Whether the last boundary has come. */
  get isWhole(): boolean {
    return this.#place === 'end';
  }

  /** Throws `NotAForm`. */
  *push(chunk: Buffer): Generator<FormEvent, void> {
    this.#held = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    for (;;) {
      const step = this.#step();
      if (step === 'wait') return;
      if (step !== 'on') yield* step;
    }
  }

  #step(): 'wait' | 'on' | readonly FormEvent[] {
    switch (this.#place) {
      case 'before':
        return this.#open();
      case 'behind-boundary':
        return this.#decide();
      case 'head':
        return this.#readHead();
      case 'content':
        return this.#pass();
      default:
        // Behind the last boundary nothing counts.
        this.#held = Buffer.alloc(0);
        return 'wait';
    }
  }

  #open(): 'wait' | 'on' {
    if (this.#held.length < this.#delimiter.length) return 'wait';
    if (!this.#held.subarray(0, this.#delimiter.length).equals(this.#delimiter)) {
      throw new NotAForm('The form does not begin with its boundary');
    }
    this.#skip(this.#delimiter.length);
    this.#place = 'behind-boundary';
    return 'on';
  }

  #decide(): 'wait' | 'on' {
    if (this.#held.length < LINE_END.length) return 'wait';
    const next = this.#held.subarray(0, LINE_END.length);
    if (next.equals(CLOSING)) this.#place = 'end';
    else if (next.equals(LINE_END)) this.#place = 'head';
    else throw new NotAForm('The form has a line that begins with its boundary and continues after it');
    this.#skip(LINE_END.length);
    return 'on';
  }

  #readHead(): 'wait' | readonly FormEvent[] {
    const end = this.#held.indexOf(HEADERS_END);
    if (end < 0 && this.#held.length <= MULTIPART_HEADER_BYTES_MAX) return 'wait';
    if (end < 0 || end > MULTIPART_HEADER_BYTES_MAX) {
      throw new NotAForm('The headers of a part of the form have no end');
    }
    if (this.#names.size === MULTIPART_PARTS_MAX) throw new NotAForm('The form has too many parts');
    const head = readHead(this.#held.subarray(0, end), this.#delimiter.subarray(LINE_END.length), FIELDS);
    const name = foldKey(head.name);
    if (this.#names.has(name)) throw new NotAForm(`The form has the field "${head.name}" more than once`);
    this.#names.add(name);
    this.#skip(end + HEADERS_END.length);
    this.#place = 'content';
    return [{ kind: 'part', head }];
  }

  #pass(): 'wait' | readonly FormEvent[] {
    const end = this.#held.indexOf(this.#delimiter);
    const to = end < 0 ? Math.max(0, this.#held.length - this.#delimiter.length) : end;
    const bytes = this.#held.subarray(0, to);
    if (end < 0) {
      this.#skip(to);
      return to === 0 ? 'wait' : [{ kind: 'content', bytes }];
    }
    this.#skip(end + this.#delimiter.length);
    this.#place = 'behind-boundary';
    return [{ kind: 'content', bytes }, { kind: 'part-end' }];
  }

  #skip(bytes: number): void {
    this.#held = this.#held.subarray(bytes);
  }
}
