import type { Route } from '../../catalog/contract.ts';
import { assert } from '../../kernel/assert.ts';
import { isRefusal, type Refusal, refuse } from '../../kernel/errors.ts';
import type { Protocol } from '../../kernel/protocol-name.ts';
import { BATCH_ITEMS_MAX, ITEM_BYTES_MAX } from '../../protocol/batches/bounds.ts';
import { type FormEvent, FormStream } from '../../protocol/batches/form-stream.ts';
import { readLine } from '../../protocol/batches/item.ts';
import { LineSplitter } from '../../protocol/batches/lines.ts';
import { BatchSum } from '../../protocol/batches/sum.ts';
import { quoteModel, splice } from '../../protocol/bytes/splice.ts';
import { formContentType, newForm, plainFileName, writePartHead } from '../../protocol/images/form.ts';
import { NotAForm } from '../../protocol/images/multipart.ts';
import type { AskReply } from '../../upstream/http/ask.ts';
import { outputBound } from '../admit/quote.ts';
import type { JobRequest } from '../jobs/job-request.ts';
import { UPLOAD_BYTES_MAX, UPLOAD_FIELD_BYTES_MAX, UPLOAD_FORM_BYTES_MAX } from './bounds.ts';
import { chooseFileRoute } from './file-route.ts';
import { VendorUpload } from './vendor-upload.ts';

/** A file whose lines are all with its vendor, which has no end of it yet. */
export interface WholeFile {
  readonly kind: 'whole';
  readonly route: Route;
  readonly sum: BatchSum & { readonly protocol: Protocol };
  /** As the vendor has them. */
  readonly name: string;
  readonly bytes: number;
}

const LINE_FEED = Buffer.from('\n');

/**
 * A file on its way from a client to a vendor. It is read line by line and not kept: the first line names the
 * model, which decides where the file goes; each line is counted, and gets the vendor's name of the model.
 */
export class FileUpload {
  readonly #request: JobRequest;
  readonly #form: FormStream;
  readonly #out = newForm([]);
  readonly #sum = new BatchSum(BATCH_ITEMS_MAX);
  readonly #lines: LineSplitter;
  /** The line that is read, beginning with 1. */
  #line = 0;
  /** Lines that were cut off but not read yet. */
  #pending: { line: Buffer; end: string }[] = [];
  #isTooLong = false;
  #upload: VendorUpload | undefined;
  #route: Route | undefined;
  /** The part that is being read: its field, and its text if it is not the file. */
  #field: { readonly name: string; text: Buffer; readonly isFile: boolean } | undefined;
  #purpose: string | undefined;
  /** Our own form, as far as it goes before the vendor is known. */
  #waiting: Buffer[] = [];
  #bytes = 0;
  #fileName = '';
  #fileBytes = 0;
  #isFirst = true;

  /** Throws `NotAForm`. */
  constructor(request: JobRequest) {
    this.#request = request;
    this.#form = new FormStream(request.headers['content-type'] ?? '');
    this.#lines = new LineSplitter(ITEM_BYTES_MAX, {
      line: (line, end) => void this.#pending.push({ line, end }),
      part: () => {
        this.#isTooLong = true;
      },
    });
  }

  /** Memory that is held for a line. */
  get heldBytes(): number {
    return this.#lines.heldBytes;
  }

  /** The vendor has refused the file before its end. */
  get isOver(): boolean {
    return this.#upload?.isOver === true;
  }

  async push(chunk: Buffer): Promise<Refusal | undefined> {
    this.#bytes += chunk.length;
    if (this.#bytes > UPLOAD_BYTES_MAX + UPLOAD_FORM_BYTES_MAX) return TOO_LARGE;
    try {
      for (const event of this.#form.push(chunk)) {
        const refusal = await this.#take(event);
        if (refusal !== undefined) return refusal;
      }
    } catch (error) {
      if (error instanceof NotAForm) return refuse('bodyNotJson', { message: error.message });
      throw error;
    }
    return undefined;
  }

  /** The client has sent all of it, or the vendor has answered before that. */
  check(): WholeFile | Refusal {
    if (!this.isOver && !this.#form.isWhole) {
      return refuse('bodyNotJson', { message: 'The form does not end with its boundary' });
    }
    if (!this.isOver && this.#purpose !== 'batch') return ONLY_BATCH;
    const { protocol } = this.#sum;
    if (this.#route === undefined || protocol === undefined) return NO_FILE;
    const sum = Object.assign(this.#sum, { protocol });
    return { kind: 'whole', route: this.#route, sum, name: this.#fileName, bytes: this.#fileBytes };
  }

  /** The vendor gets the end of the form, and with it the file; unless it has answered before. */
  async finish(): Promise<{ readonly reply: AskReply; readonly isWhole: boolean }> {
    assert(this.#upload !== undefined, 'a whole file has its vendor');
    const isWhole = !this.#upload.isOver;
    await this.#write(Buffer.from(`\r\n--${this.#out.boundary}--\r\n`));
    this.#upload.end();
    return { reply: await this.#upload.answer, isWhole };
  }

  /** The vendor gets no end of the form, and so no file. Nothing happens to an upload that is over. */
  abort(): void {
    this.#upload?.abort();
  }

  async #take(event: FormEvent): Promise<Refusal | undefined> {
    if (event.kind === 'part') return this.#open(event.head);
    if (event.kind === 'part-end') return this.#close();
    const field = this.#field;
    if (field === undefined) return undefined;
    if (field.isFile) {
      this.#lines.push(event.bytes as Parameters<LineSplitter['push']>[0]);
      return this.#sendLines();
    }
    field.text = Buffer.concat([field.text, event.bytes]);
    return field.text.length > UPLOAD_FIELD_BYTES_MAX ? TOO_LONG_FIELD : undefined;
  }

  async #open(head: Parameters<typeof writePartHead>[0]): Promise<Refusal | undefined> {
    const isFile = head.name === 'file';
    if (isFile && head.file === undefined) return NO_FILE;
    if (head.file !== undefined && isFile) this.#fileName = plainFileName(head.file.name);
    this.#field = { name: head.name, text: Buffer.alloc(0), isFile };
    const start = this.#bytesBefore();
    await this.#write(Buffer.from(`${start}--${this.#out.boundary}\r\n${writePartHead(head)}\r\n`));
    return undefined;
  }

  #bytesBefore(): string {
    const start = this.#isFirst ? '' : '\r\n';
    this.#isFirst = false;
    return start;
  }

  async #close(): Promise<Refusal | undefined> {
    const field = this.#field;
    this.#field = undefined;
    if (field === undefined) return undefined;
    if (field.isFile) {
      this.#lines.finish();
      return this.#sendLines();
    }
    if (field.name === 'purpose') {
      this.#purpose = field.text.toString('utf8');
      if (this.#purpose !== 'batch') return ONLY_BATCH;
    }
    await this.#write(field.text);
    return undefined;
  }

  async #sendLines(): Promise<Refusal | undefined> {
    const pending = this.#pending;
    this.#pending = [];
    for (const { line, end } of pending) {
      this.#line += 1;
      const refusal = await this.#sendLine(line, end);
      if (refusal !== undefined) return { ...refusal, message: `Line ${this.#line}: ${refusal.message}` };
    }
    if (!this.#isTooLong) return undefined;
    return { ...TOO_LONG_LINE, message: `Line ${this.#line + 1}: ${TOO_LONG_LINE.message}` };
  }

  async #sendLine(line: Buffer, end: string): Promise<Refusal | undefined> {
    if (isBlank(line)) return undefined;
    const item = await readLine(line);
    if (isRefusal(item)) return item;
    const refusal = this.#sum.add(item);
    if (refusal !== undefined) return refusal;
    const route = this.#route ?? this.#choose(item.protocol);
    if (isRefusal(route)) return route;
    // A request without a limit may be answered with the longest answer of the model.
    const open = this.#sum.openAnswers > 0 ? outputBound(item.facts, route) : 0;
    const tooMany = this.#sum.closeAnswers(open);
    if (tooMany !== undefined) return tooMany;
    const bytes = quoteModel(route.forwardModelId);
    const pieces = splice(
      line,
      item.modelRanges.map((at) => ({ at, bytes })),
    );
    const whole = Buffer.concat(end === '' ? pieces : [...pieces, LINE_FEED]);
    this.#fileBytes += whole.length;
    await this.#write(whole);
    return undefined;
  }

  #choose(protocol: Protocol): Route | Refusal {
    const { caller, gateway } = this.#request;
    const route = chooseFileRoute(caller, { modelId: this.#sum.model, protocol }, gateway);
    if (isRefusal(route)) return route;
    this.#route = route;
    this.#upload = new VendorUpload(gateway.deps.client, route, formContentType(this.#out));
    return route;
  }

  async #write(bytes: Buffer): Promise<void> {
    if (this.#upload === undefined) {
      this.#waiting.push(bytes);
      return;
    }
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const each of waiting) await this.#upload.write(each);
    await this.#upload.write(bytes);
  }
}

function isBlank(line: Buffer): boolean {
  return line.length < 64 && line.toString('latin1').trim() === '';
}

const TOO_LARGE = refuse('bodyTooLarge', { message: `A file has at most ${UPLOAD_BYTES_MAX} bytes` });
const TOO_LONG_LINE = refuse('bodyTooLarge', {
  message: `a line of a file has at most ${ITEM_BYTES_MAX} bytes`,
});
const TOO_LONG_FIELD = refuse('bodyTooLarge', { message: 'A field of the form is too long' });
const ONLY_BATCH = refuse('notExpressible', {
  message: 'Files are taken for batches only: "purpose" is "batch"',
});
const NO_FILE = refuse('notExpressible', {
  message: 'The form has one "file", with the requests of a batch',
});
