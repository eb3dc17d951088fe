import type { Framing } from '../../dialect.ts';
import type { AnswerError, Finish, HubUsage, Logprob } from '../../hub/answer.ts';
import type { Session, StreamEncoder } from '../../hub/codec.ts';
import { type JsonObject, writeJson } from '../../hub/content/json.ts';
import type { HubEvent, PartHead } from '../../hub/event.ts';
import { type Citation, visibleText } from '../../hub/part.ts';
import { googleStatus } from '../../pass-through/stream-error.ts';
import { encodeFinish } from '../finish.ts';
import { encodeGrounding, listQueries } from '../grounding.ts';
import { encodeLogprobsResult } from '../logprobs.ts';
import { signatureFor } from '../signature.ts';
import { encodeUsage } from '../usage.ts';
import { parseArguments } from './answer.ts';

/** The state of one choice. */
interface Progress {
  readonly choice: number;
  /** The kind of part that deltas belong to. A call waits until it is complete. */
  open: PartHead['kind'];
  call: Extract<PartHead, { kind: 'tool-call' }> | undefined;
  argumentsText: string;
  hasRefusal: boolean;
  malformedCall: string | undefined;
  finish: Finish | undefined;
  /** All text of the answer, and where the open part begins in it: citations count in it. */
  text: string;
  partOffset: number;
  readonly citations: Citation[];
  readonly queries: string[];
}

/** The SDK accepts errors from 400 to 599. 529 is not a registered status. */
const STATUS_OVERLOADED = 529;

/**
 * Chunks for a Google client. Text is sent as it arrives, a call when it is complete. The finish reason and
 * the usage wait for the vendor's own end, because the finish reason tells the client that the answer is
 * complete.
 */
export class GeminiStreamEncoder implements StreamEncoder {
  readonly nextSequenceNumber = undefined;
  readonly #session: Session;
  readonly #framing: Framing;
  /** The end of every chunk, made once. */
  readonly #tail: string;
  readonly #choices: Progress[] = [];
  #usage: HubUsage | undefined;
  #text = '';
  #isFirst = true;
  #isOver = false;

  constructor(session: Session, framing: Framing) {
    this.#session = session;
    this.#framing = framing;
    const names = JSON.stringify({ modelVersion: session.modelId, responseId: session.callId });
    this.#tail = `,${names.slice(1)}${framing === 'sse' ? '\n\n' : ''}`;
  }

  take(): string {
    const text = this.#text;
    this.#text = '';
    return text;
  }

  push(event: HubEvent): void {
    if (this.#isOver) return;
    switch (event.kind) {
      case 'delta':
        this.#delta(event.text, this.#progress(event.choice), event.logprobs);
        return;
      case 'part':
        this.#open(event.head, this.#progress(event.choice));
        return;
      case 'part-end':
        this.#closeCall(this.#progress(event.choice));
        return;
      case 'signature':
        this.#sign(signatureFor([event.signature], this.#session), this.#progress(event.choice));
        return;
      case 'citation':
        cite(event.citation, this.#progress(event.choice));
        return;
      case 'usage':
        this.#usage = event.usage;
        return;
      case 'finish': {
        const progress = this.#progress(event.choice);
        this.#closeCall(progress);
        progress.finish = event.finish;
        return;
      }
      default:
        this.#pushRare(event);
    }
  }

  #pushRare(event: Extract<HubEvent, { kind: 'start' | 'error' | 'end' }>): void {
    switch (event.kind) {
      case 'start':
        this.#usage = event.usage;
        // In a JSON array, an error of the gateway must have an element before it.
        if (this.#framing === 'json-array') this.#chunk('{"text":""}', 0, '');
        return;
      case 'error':
        this.#isOver = true;
        this.#write(`{"error":${errorText(event.error)}}${this.#framing === 'sse' ? '\n\n' : ']'}`);
        return;
      case 'end':
        this.#isOver = true;
        this.#finish();
    }
  }

  #open(head: PartHead, progress: Progress): void {
    this.#closeCall(progress);
    progress.open = head.kind;
    progress.partOffset = progress.text.length;
    switch (head.kind) {
      case 'tool-call':
        progress.call = head;
        progress.argumentsText = '';
        return;
      case 'refusal':
        progress.hasRefusal = true;
        return;
      case 'image': {
        const inlineData = { mimeType: head.mime, data: head.base64 };
        this.#chunk(JSON.stringify({ inlineData }), progress.choice, '');
        return;
      }
      case 'server-tool':
        if (head.protocol === 'gemini') this.#chunk(oneLine(head.raw), progress.choice, '');
        else if (visibleText(head) !== '')
          this.#chunk(JSON.stringify({ text: head.text }), progress.choice, '');
        progress.queries.push(...listQueries(head));
    }
  }

  #delta(text: string, progress: Progress, logprobs: readonly Logprob[] | undefined): void {
    if (text === '') return;
    switch (progress.open) {
      case 'tool-call':
        progress.argumentsText += text;
        return;
      case 'reasoning':
        this.#chunk(`{"text":${JSON.stringify(text)},"thought":true}`, progress.choice, '');
        return;
      default: {
        progress.text += text;
        const result = logprobs === undefined ? undefined : encodeLogprobsResult(logprobs);
        const more = result === undefined ? '' : `,"logprobsResult":${writeJson(result)}`;
        this.#chunk(`{"text":${JSON.stringify(text)}}`, progress.choice, more);
      }
    }
  }

  /** The signature of a text or a thought comes after it, on an empty part, as Google itself sends it. */
  #sign(thoughtSignature: string | undefined, progress: Progress): void {
    if (thoughtSignature === undefined) return;
    const thought = progress.open === 'reasoning' ? { thought: true } : {};
    this.#chunk(JSON.stringify({ text: '', ...thought, thoughtSignature }), progress.choice, '');
  }

  #closeCall(progress: Progress): void {
    const { call } = progress;
    if (call === undefined) return;
    progress.call = undefined;
    const args = parseArguments({ arguments: progress.argumentsText, custom: call.custom });
    progress.argumentsText = '';
    if (args === undefined) {
      progress.malformedCall = call.name;
      return;
    }
    const id = call.id === '' ? undefined : call.id;
    const signature = signatureFor(call.signatures, this.#session);
    const part: JsonObject = { functionCall: { id, name: call.name, args }, thoughtSignature: signature };
    this.#chunk(oneLine(writeJson(part)), progress.choice, '');
  }

  #finish(): void {
    if (this.#choices.length === 0) this.#progress(0);
    const candidates = this.#choices.map((progress) => {
      this.#closeCall(progress);
      return this.#lastCandidate(progress);
    });
    const usage = this.#usage === undefined ? '' : `,"usageMetadata":${writeJson(encodeUsage(this.#usage))}`;
    this.#write(`{"candidates":[${candidates.join(',')}]${usage}${this.#tail}`);
    if (this.#framing === 'json-array') this.#text += ']';
  }

  #lastCandidate(progress: Progress): string {
    return writeJson({
      content: { parts: [{ text: '' }], role: 'model' },
      ...encodeFinish(progress.finish ?? { reason: 'stop' }, progress),
      index: progress.choice,
      groundingMetadata: encodeGrounding(
        progress.citations.map((citation) => ({ partIndex: 0, text: progress.text, citation })),
        progress.queries,
      ),
    });
  }

  #chunk(part: string, choice: number, more: string): void {
    this.#write(
      `{"candidates":[{"content":{"parts":[${part}],"role":"model"},"index":${choice}${more}}]${this.#tail}`,
    );
  }

  #write(chunk: string): void {
    if (this.#framing === 'sse') this.#text += `data: ${chunk}`;
    else this.#text += this.#isFirst ? `[${chunk}` : `,\n${chunk}`;
    this.#isFirst = false;
  }

  #progress(choice: number): Progress {
    const known = this.#choices.find((progress) => progress.choice === choice);
    if (known !== undefined) return known;
    const made: Progress = {
      choice,
      open: 'text',
      call: undefined,
      argumentsText: '',
      hasRefusal: false,
      malformedCall: undefined,
      finish: undefined,
      text: '',
      partOffset: 0,
      citations: [],
      queries: [],
    };
    this.#choices.push(made);
    return made;
  }
}

/** A citation without a range covers its whole part. */
function cite(citation: Citation, { text, partOffset, citations }: Progress): void {
  const { start = 0, end = text.length - partOffset } = citation;
  citations.push({ ...citation, start: partOffset + start, end: partOffset + end });
}

/** Raw JSON may have line ends between its tokens, never inside. In an event they would end the line. */
function oneLine(json: string): string {
  return json.replace(/[\r\n]+/g, ' ');
}

/** The SDK ignores an error without a number from 400 to 599 and a status (rule C-62). */
function errorText({ status, message }: AnswerError): string {
  const known = status >= 400 && status <= 599 ? status : 500;
  const code = known === STATUS_OVERLOADED ? 503 : known;
  return JSON.stringify({ code, message, status: googleStatus(code) });
}
