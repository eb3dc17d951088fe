import { ANSWERS_PER_CALL_MAX, HELD_CHARS_MAX, THOUGHT_CHARS_MAX } from '../../../bounds.ts';
import type { Finish, Logprob } from '../answer.ts';
import type { Emit, HubEvent, PartHead } from '../event.ts';
import { unwrapCustomInput } from '../fit/custom.ts';
import { logprobsWithin, StopScanner, stopsHere } from '../fit/stop.ts';
import type { Signature } from '../signature.ts';
import { keepTextSignatures, withThought } from './return.ts';
import { CallReturn, type ReturnPlan } from './return-call.ts';

type EventOf<Kind extends HubEvent['kind']> = Extract<HubEvent, { readonly kind: Kind }>;

/**
 * What happens to the deltas of the open part: nothing; a search for stop sequences; kept for the call that
 * will carry the thinking; or kept until the input of a custom tool can be read from them.
 */
type Care = 'none' | 'scanned' | 'thought' | 'wrapped';

/** The state of one choice. */
interface ChoiceState {
  readonly choice: number;
  readonly scanner: StopScanner | undefined;
  care: Care;
  /** Visible thinking or wrapped arguments of the open part. */
  held: string;
  logprobs: readonly Logprob[];
  thoughtSignature: Signature | undefined;
  /** The words of the open text, if they are needed for its signature. */
  text: string | undefined;
  /** The last part with words, if it was a text: a signature without words behind it belongs to it. */
  lastText: string;
  /** The signature of the open text, stored when the text ends. */
  textSignature: Signature | undefined;
  /** Thinking that waits for the next call. */
  thoughts: readonly Signature[];
  callCount: number;
  stop: string | undefined;
  isFinished: boolean;
}

/**
 * The stage between the vendor's decoder and the client's encoder: it reverses `fitRequest`, event by event.
 * Deltas pass unchanged if there is nothing to do.
 */
export class ReturnStage {
  /** Something arrived that cannot be forwarded: an error was emitted, and nothing follows it. */
  failed = false;
  readonly #plan: ReturnPlan;
  readonly #emit: Emit;
  readonly #calls: CallReturn;
  readonly #stops: readonly string[];
  /** Google signs texts. The client's protocol has no place for that. */
  readonly #keepsTexts: boolean;
  readonly #states = new Map<number, ChoiceState>();
  #started = false;

  constructor(plan: ReturnPlan, emit: Emit) {
    const { request, target } = plan.session;
    this.#plan = plan;
    this.#emit = emit;
    this.#calls = new CallReturn(plan);
    this.#stops = stopsHere(request, target) ? request.stop : [];
    this.#keepsTexts = plan.client.carriesReasoning && target.protocol === 'gemini';
  }

  push(event: HubEvent): void {
    if (this.failed) return;
    switch (event.kind) {
      case 'delta':
      case 'part':
      case 'signature':
      case 'citation':
      case 'part-end':
      case 'finish': {
        const state = this.#state(event.choice);
        if (state !== undefined) this.#pushTo(state, event);
        return;
      }
      case 'end':
        // The relay finds the terminator and calls `end`.
        return;
      case 'start':
        this.#started = true;
        this.#emit(event);
        return;
      case 'error':
        this.#fail(event);
        return;
      default:
        this.#emit(event);
    }
  }

  /** The vendor's stream was complete. */
  end(): void {
    if (this.failed) return;
    if (!this.#started) this.#emit({ kind: 'start', id: undefined, usage: undefined });
    for (const state of this.#states.values()) {
      if (state.stop !== undefined && !state.isFinished) this.#finish(state, { reason: 'stop' });
      else this.#close(state);
    }
    this.#emit({ kind: 'end' });
  }

  #pushTo(state: ChoiceState, event: Exclude<HubEvent, { kind: 'start' | 'usage' | 'error' | 'end' }>): void {
    if (event.kind === 'finish') this.#finish(state, event.finish);
    else if (state.stop !== undefined) return;
    else if (event.kind === 'delta') this.#delta(state, event);
    else if (event.kind === 'part') this.#part(state, event);
    else if (event.kind === 'signature') this.#signature(state, event);
    else if (event.kind === 'citation') this.#emit(event);
    else {
      this.#close(state);
      this.#emit(event);
    }
  }

  #delta(state: ChoiceState, event: EventOf<'delta'>): void {
    // One character beyond the bound is enough to tell that the text is too long to be compared.
    if (state.text !== undefined && state.text.length <= THOUGHT_CHARS_MAX) state.text += event.text;
    if (state.care === 'none') this.#emit(event);
    else if (state.care === 'scanned') this.#scan(state, event);
    else if (state.care === 'thought') {
      // Thinking that is too long for a call is counted, not kept.
      if (state.held.length <= THOUGHT_CHARS_MAX) state.held += event.text;
      this.#emit(event);
    } else if (state.held.length + event.text.length > HELD_CHARS_MAX) {
      const message = 'The input of a custom tool is too long';
      this.#fail({ kind: 'error', error: { status: 502, code: undefined, type: 'api_error', message } });
    } else state.held += event.text;
  }

  #scan(state: ChoiceState, event: EventOf<'delta'>): void {
    const { text, stop } = (state.scanner as StopScanner).push(event.text);
    if (event.logprobs !== undefined) state.logprobs = [...state.logprobs, ...event.logprobs];
    if (stop !== undefined) {
      state.logprobs = logprobsWithin(state.logprobs, text);
      this.#say(state, text);
      state.stop = stop;
      state.care = 'none';
      this.#emit({ kind: 'part-end', choice: state.choice });
    } else this.#say(state, text);
  }

  #say(state: ChoiceState, text: string): void {
    if (text === '') return;
    const { choice, logprobs } = state;
    state.logprobs = [];
    this.#emit(
      logprobs.length === 0 ? { kind: 'delta', choice, text } : { kind: 'delta', choice, text, logprobs },
    );
  }

  #part(state: ChoiceState, event: EventOf<'part'>): void {
    this.#close(state);
    const { head } = event;
    if (head.kind !== 'text') state.lastText = '';
    if (head.kind === 'tool-call') {
      this.#call(state, head);
      return;
    }
    if (head.kind === 'text') {
      if (this.#keepsTexts) state.text = '';
      state.care = state.scanner === undefined ? 'none' : 'scanned';
      state.thoughts = state.thoughts.map((signature) => ({ ...signature, beforeText: true }));
    } else if (head.kind === 'reasoning' && !this.#plan.client.carriesReasoning) state.care = 'thought';
    this.#emit(event);
  }

  #call(state: ChoiceState, head: Extract<PartHead, { kind: 'tool-call' }>): void {
    const { choice, thoughts } = state;
    state.thoughts = [];
    const { call, carried, wrapped } = this.#calls.returnCall(head, {
      choice,
      index: state.callCount++,
      thoughts,
    });
    for (const signature of carried) {
      this.#emit({ kind: 'part', choice, head: { kind: 'reasoning' } });
      this.#emit({ kind: 'signature', choice, signature });
      this.#emit({ kind: 'part-end', choice });
    }
    if (wrapped) state.care = 'wrapped';
    this.#emit({ kind: 'part', choice, head: call });
  }

  #signature(state: ChoiceState, event: EventOf<'signature'>): void {
    const { signature } = event;
    if (signature.place === 'text' && this.#plan.client.carriesReasoning) state.textSignature = signature;
    else if (signature.place === 'text') this.#emit(event);
    else if (this.#plan.client.carriesReasoning) this.#emit(event);
    else state.thoughtSignature = signature;
  }

  /** The open part ends. What was kept of it is emitted. */
  #close(state: ChoiceState): void {
    const { care, held, thoughtSignature, textSignature } = state;
    state.textSignature = undefined;
    state.care = 'none';
    state.held = '';
    state.thoughtSignature = undefined;
    if (care === 'scanned') this.#say(state, (state.scanner as StopScanner).flush());
    else if (care === 'wrapped') this.#say(state, unwrapCustomInput(held));
    if (thoughtSignature !== undefined) state.thoughts = withThought(state.thoughts, thoughtSignature, held);
    if (state.text) state.lastText = state.text;
    state.text = undefined;
    if (textSignature !== undefined) keepTextSignatures(this.#plan, state.lastText, [textSignature]);
  }

  #finish(state: ChoiceState, finish: Finish): void {
    const { choice, stop } = state;
    state.isFinished = true;
    this.#close(state);
    const reached: Finish = stop === undefined ? finish : { reason: 'stop-sequence', stopSequence: stop };
    this.#emit({ kind: 'finish', choice, finish: reached });
  }

  #fail(event: EventOf<'error'>): void {
    this.failed = true;
    this.#emit(event);
  }

  /** `undefined` for a choice beyond what any client can request. */
  #state(choice: number): ChoiceState | undefined {
    const known = this.#states.get(choice);
    if (known !== undefined || this.#states.size >= ANSWERS_PER_CALL_MAX) return known;
    const state: ChoiceState = {
      choice,
      scanner: this.#stops.length === 0 ? undefined : new StopScanner(this.#stops),
      care: 'none',
      held: '',
      logprobs: [],
      thoughtSignature: undefined,
      text: undefined,
      lastText: '',
      textSignature: undefined,
      thoughts: [],
      callCount: 0,
      stop: undefined,
      isFinished: false,
    };
    this.#states.set(choice, state);
    return state;
  }
}
