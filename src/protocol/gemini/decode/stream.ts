import { ANSWERS_PER_CALL_MAX } from '../../../bounds.ts';
import type { Logprob } from '../../hub/answer.ts';
import type { Session, StreamDecoder } from '../../hub/codec.ts';
import { isArray, isObject, type JsonObject, type JsonValue } from '../../hub/content/json.ts';
import type { Emit } from '../../hub/event.ts';
import type { Part, ServerToolPart, ToolCallPart } from '../../hub/part.ts';
import { type Figures, overlayFigures } from '../../meter/usage-report.ts';
import { findText } from '../fields.ts';
import { type CandidateContent, decodeFinish, withPart } from '../finish.ts';
import { citeText, decodeSearch, decodeSupports } from '../grounding.ts';
import { decodeLogprobs } from '../logprobs.ts';
import { decodeUsage } from '../usage.ts';
import { decodeAnswerPart, decodeError, emptyChoice, failure } from './answer.ts';
import { isPartial, PartialCall } from './partial-call.ts';

/** The state of one candidate. */
interface Progress {
  readonly choice: number;
  open: 'none' | 'text' | 'reasoning';
  /** The open part has its signature: what follows is another part, because the two must not be merged. */
  isSigned: boolean;
  content: CandidateContent;
  /** The text of the open part, for citations, which come after it. */
  text: string;
  /** A call whose arguments come in fragments. It is emitted when it is complete. */
  partial: { readonly call: ToolCallPart; readonly fragments: PartialCall } | undefined;
  /** The last reported search. */
  search: ServerToolPart | undefined;
  /** The last reported finish reason: with tools that run at Google, content follows a first reason. */
  ending: { readonly reason: string; readonly message: string | undefined } | undefined;
}

/**
 * Every chunk is an answer of its own, whose parts continue those before: text is appended while its kind
 * stays the same, calls come whole. Usage and the finish reason are emitted at the end.
 */
export class GeminiStreamDecoder implements StreamDecoder {
  readonly #session: Session;
  readonly #emit: Emit;
  readonly #candidates = new Map<number, Progress>();
  #figures: Figures | undefined;
  #isStarted = false;
  #isOver = false;

  constructor(session: Session, emit: Emit) {
    this.#session = session;
    this.#emit = emit;
  }

  push(event: JsonObject, figures?: Figures): void {
    if (this.#isOver) return;
    const error = decodeError(event);
    if (error !== undefined) {
      this.#isOver = true;
      this.#emit({ kind: 'error', error });
      return;
    }
    if (figures !== undefined) this.#figures = overlayFigures(this.#figures ?? {}, figures);
    this.#start(findText(event.responseId));
    const { candidates } = event;
    if (isArray(candidates) && candidates.length > 0) this.#readCandidates(candidates);
    else if (isObject(event.promptFeedback)) this.#readFeedback(event.promptFeedback);
  }

  finish(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#start(undefined);
    if (this.#candidates.size === 0) this.#progress(0);
    const usage = decodeUsage(this.#figures);
    if (usage !== undefined) this.#emit({ kind: 'usage', usage });
    for (const progress of this.#candidates.values()) {
      this.#closePartial(progress);
      const { choice, ending, content, search } = progress;
      const finish = decodeFinish(ending?.reason, ending?.message, content);
      if (finish === undefined) {
        this.#fail(ending?.reason, ending?.message);
        return;
      }
      if (search !== undefined) {
        this.#emit({ kind: 'part', choice, head: search });
        this.#emit({ kind: 'part-end', choice });
      }
      this.#emit({ kind: 'finish', choice, finish });
    }
    this.#emit({ kind: 'end' });
  }

  #start(id: string | undefined): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    this.#emit({ kind: 'start', id, usage: decodeUsage(this.#figures) });
  }

  #readCandidates(candidates: readonly JsonValue[]): void {
    for (let at = 0; at < candidates.length; at++) {
      const candidate = candidates[at];
      if (this.#isOver || !isObject(candidate)) continue;
      const progress = this.#progress(readChoiceIndex(candidate.index, at));
      if (progress !== undefined) this.#readCandidate(candidate, progress);
    }
  }

  #readCandidate(candidate: JsonObject, progress: Progress): void {
    const parts = isObject(candidate.content) ? candidate.content.parts : undefined;
    let logprobs =
      candidate.logprobsResult === undefined ? undefined : decodeLogprobs(candidate.logprobsResult);
    if (isArray(parts)) {
      for (const part of parts) {
        if (!isObject(part) || this.#holdPartial(part, progress)) continue;
        const decoded = decodeAnswerPart(part, this.#session);
        if (decoded === undefined) continue;
        this.#passPart(decoded, progress, logprobs);
        logprobs = undefined;
      }
    }
    if (candidate.groundingMetadata !== undefined) this.#cite(candidate.groundingMetadata, progress);
    const reason = findText(candidate.finishReason);
    if (reason === undefined || reason === '') return;
    const message = findText(candidate.finishMessage);
    progress.ending = { reason, message };
    // Another route can be tried while the client has received nothing, so the failure is reported at once.
    const isWaiting = progress.partial !== undefined;
    if (!isWaiting && decodeFinish(reason, message, progress.content) === undefined)
      this.#fail(reason, message);
  }

  #fail(reason: string | undefined, message: string | undefined): void {
    this.#isOver = true;
    this.#emit({ kind: 'error', error: failure(reason, message) });
  }

  #passPart(part: Part, progress: Progress, logprobs: readonly Logprob[] | undefined): void {
    const { choice } = progress;
    progress.content = withPart(progress.content, part);
    switch (part.kind) {
      case 'text':
        this.#open('text', progress);
        if (part.text !== '') this.#delta(choice, part.text, logprobs);
        progress.text += part.text;
        for (const signature of part.signatures ?? []) this.#emit({ kind: 'signature', choice, signature });
        progress.isSigned = part.signatures !== undefined;
        return;
      case 'reasoning':
        this.#open('reasoning', progress);
        if (part.text !== '') this.#delta(choice, part.text, undefined);
        if (part.signature !== undefined)
          this.#emit({ kind: 'signature', choice, signature: part.signature });
        progress.isSigned = part.signature !== undefined;
        return;
      case 'tool-call': {
        const { id, name, custom, signatures } = part;
        const head = {
          kind: part.kind,
          id,
          name,
          custom,
          ...(signatures === undefined ? {} : { signatures }),
        };
        this.#emit({ kind: 'part', choice, head });
        this.#delta(choice, part.arguments, undefined);
        break;
      }
      case 'image':
        if (part.source.kind !== 'bytes') return;
        this.#emit({ kind: 'part', choice, head: { ...part.source, kind: 'image' } });
        break;
      case 'server-tool':
        this.#emit({ kind: 'part', choice, head: part });
        break;
      default:
        return;
    }
    this.#emit({ kind: 'part-end', choice });
    progress.open = 'none';
  }

  /** True for a part that begins, continues or ends a call in fragments. Only its beginning has a name. */
  #holdPartial(part: JsonObject, progress: Progress): boolean {
    const call = part.functionCall;
    const { partial } = progress;
    if (partial !== undefined && isObject(call) && findText(call.name) === undefined) {
      partial.fragments.add(call);
      if (call.willContinue !== true) this.#closePartial(progress);
      return true;
    }
    this.#closePartial(progress);
    const decoded = isPartial(call) ? decodeAnswerPart(part, this.#session) : undefined;
    if (decoded?.kind !== 'tool-call') return false;
    progress.partial = { call: decoded, fragments: new PartialCall() };
    progress.partial.fragments.add(call as JsonObject);
    return true;
  }

  #closePartial(progress: Progress): void {
    const { partial } = progress;
    if (partial === undefined) return;
    progress.partial = undefined;
    this.#passPart({ ...partial.call, arguments: partial.fragments.arguments }, progress, undefined);
  }

  #open(kind: 'text' | 'reasoning', progress: Progress): void {
    if (progress.open === kind && !progress.isSigned) return;
    progress.open = kind;
    progress.isSigned = false;
    progress.text = '';
    this.#emit({ kind: 'part', choice: progress.choice, head: { kind } });
  }

  #delta(choice: number, text: string, logprobs: readonly Logprob[] | undefined): void {
    this.#emit(
      logprobs === undefined ? { kind: 'delta', choice, text } : { kind: 'delta', choice, text, logprobs },
    );
  }

  /** Citations come with the last chunk. Their positions count in the whole text. */
  #cite(metadata: JsonValue, progress: Progress): void {
    progress.search = decodeSearch(metadata) ?? progress.search;
    if (progress.open !== 'text') return;
    for (const citation of citeText(progress.text, decodeSupports(metadata))) {
      this.#emit({ kind: 'citation', choice: progress.choice, citation });
    }
  }

  /** A blocked prompt has no candidate that could end. */
  #readFeedback(feedback: JsonObject): void {
    const { finish } = emptyChoice(feedback);
    const progress = this.#progress(0);
    if (finish.reason !== 'filter' || progress === undefined) return;
    progress.ending = { reason: 'SAFETY', message: finish.message };
  }

  /** `undefined` for more candidates than can be requested. */
  #progress(choice: number): Progress | undefined {
    const known = this.#candidates.get(choice);
    if (known !== undefined || choice >= ANSWERS_PER_CALL_MAX) return known;
    const made: Progress = {
      choice,
      open: 'none',
      isSigned: false,
      content: 'nothing',
      text: '',
      partial: undefined,
      search: undefined,
      ending: undefined,
    };
    this.#candidates.set(choice, made);
    return made;
  }
}

/** Protobuf leaves out the index of the first candidate. */
function readChoiceIndex(index: JsonValue | undefined, at: number): number {
  return typeof index === 'number' && Number.isInteger(index) && index >= 0 ? index : at;
}
