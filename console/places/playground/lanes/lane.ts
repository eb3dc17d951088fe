import { createStore, type Store } from '../../../app/store.ts';
import { callGateway } from '../gateway.ts';
import { Answer, errorMessage } from '../wire/answer.ts';
import { readEvents } from '../wire/events.ts';
import { bodyOf, WIRES } from '../wire/wires.ts';
import {
  type AnswerTurn,
  type Ask,
  type CallFacts,
  type Json,
  objectOf,
  type Problem,
  type Protocol,
  type Settings,
  type ToolPart,
  type Turn,
  toolsOf,
  type UserTurn,
} from './conversation.ts';
import { beginExchange, type Exchange, Received, withHead } from './exchange.ts';

/** A model that calls tools without end is stopped after so many calls. */
const ROUNDS_MAX = 8;
/** How often a stream is drawn. */
const DRAW_MS = 40;

export interface LaneState {
  readonly turns: readonly Turn[];
  readonly exchange: Exchange | undefined;
}

export interface Sending {
  readonly protocol: Protocol;
  readonly model: string;
  readonly settings: Settings;
}

const NO_FACTS: Omit<CallFacts, 'startedAt'> = {
  ...{ requestId: '', firstMs: undefined, totalMs: undefined, usage: undefined, dropped: [], ended: '' },
};

/** One conversation with one model. It goes on while other places are shown. */
export class Lane {
  readonly state: Store<LaneState>;
  #running: AbortController | undefined;

  constructor(turns: readonly Turn[]) {
    this.state = createStore<LaneState>({ turns, exchange: undefined });
  }

  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  stop(): void {
    this.#running?.abort();
  }

  clear(): void {
    this.stop();
    this.#running = undefined;
    this.state.write({ turns: [], exchange: undefined });
  }

  /** Asks, answers the tools that the model calls, and goes on until it has said what it wants. */
  async send(turn: UserTurn, sending: Sending): Promise<void> {
    if (this.isRunning) return;
    await this.#run([...this.state.read().turns, turn], sending);
  }

  /** The last question once more. */
  async retry(sending: Sending): Promise<void> {
    const { turns } = this.state.read();
    const place = turns.findLastIndex(({ role }) => role === 'user');
    if (this.isRunning || place < 0) return;
    await this.#run(turns.slice(0, place + 1), sending);
  }

  async #run(turns: readonly Turn[], sending: Sending): Promise<void> {
    const running = new AbortController();
    this.#running = running;
    let said = turns;
    for (let round = 0; round < ROUNDS_MAX; round++) {
      const call = new LaneCall(said, sending, {
        signal: running.signal,
        draw: (drawn, exchange) => {
          if (this.#running === running) this.state.write({ turns: drawn, exchange });
        },
      });
      said = await call.run();
      const last = said.at(-1);
      if (last?.role !== 'answer' || last.state !== 'complete' || toolsOf(last).length === 0) break;
    }
    if (this.#running !== running) return;
    this.#running = undefined;
    this.state.write({ ...this.state.read(), turns: [...said] });
  }
}

interface Drawing {
  readonly signal: AbortSignal;
  readonly draw: (turns: readonly Turn[], exchange: Exchange) => void;
}

/** One call of the gateway within a lane. */
class LaneCall {
  readonly #turns: readonly Turn[];
  readonly #sending: Sending;
  readonly #drawing: Drawing;
  readonly #answer = new Answer();
  readonly #received = new Received();
  #facts: CallFacts;
  #exchange: Exchange;
  #body: Json;
  #drawnAt = 0;
  readonly #start = performance.now();

  constructor(turns: readonly Turn[], sending: Sending, drawing: Drawing) {
    this.#turns = turns;
    this.#sending = sending;
    this.#drawing = drawing;
    this.#facts = { ...NO_FACTS, startedAt: Date.now() };
    const ask: Ask = { model: sending.model, turns, settings: sending.settings };
    this.#body = bodyOf(sending.protocol, ask);
    this.#exchange = beginExchange(this.#path(), this.#body);
  }

  async run(): Promise<readonly Turn[]> {
    this.#draw('running');
    const problem = await this.#exchangeWithGateway().catch((error: unknown) => this.#noAnswer(error));
    this.#facts = { ...this.#facts, totalMs: performance.now() - this.#start };
    if (this.#drawing.signal.aborted) return this.#draw('stopped');
    return problem === undefined ? this.#draw('complete') : this.#draw('failed', problem);
  }

  #path(): string {
    const { protocol, model, settings } = this.#sending;
    return WIRES[protocol].path(model, settings.stream);
  }

  #noAnswer(error: unknown): Problem {
    const message = error instanceof Error ? error.message : String(error);
    return { message, status: this.#exchange.status, requestId: this.#facts.requestId };
  }

  async #exchangeWithGateway(): Promise<Problem | undefined> {
    const { protocol } = this.#sending;
    const headers = protocol === 'messages' ? { 'anthropic-version': '2023-06-01' } : {};
    const { signal } = this.#drawing;
    const response = await callGateway({ path: this.#path(), body: this.#body, signal, headers });
    this.#exchange = withHead(this.#exchange, response);
    const requestId = response.headers.get('x-request-id') ?? '';
    const dropped = (response.headers.get('x-tollgate-dropped') ?? '')
      .split(', ')
      .filter((each) => each !== '');
    this.#facts = { ...this.#facts, requestId, dropped };
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
    if (isStream && response.body !== null) await this.#readStream(response.body);
    else this.#readWhole(await response.text(), response.status);
    const { problem } = this.#answer;
    return problem === undefined ? undefined : { message: problem, status: response.status, requestId };
  }

  async #readStream(body: ReadableStream<Uint8Array>): Promise<void> {
    const wire = WIRES[this.#sending.protocol];
    for await (const data of readEvents(body)) {
      this.#received.take(data);
      const event = objectOf(data);
      if (event !== undefined) wire.event(event, this.#answer);
      this.#markFirst();
      if (performance.now() - this.#drawnAt > DRAW_MS) this.#draw('running');
    }
  }

  #readWhole(text: string, status: number): void {
    this.#received.take(text);
    const body = objectOf(text) ?? {};
    if (status >= 400) this.#answer.problem = errorMessage(body) || `HTTP ${status}`;
    else WIRES[this.#sending.protocol].whole(body, this.#answer);
    this.#markFirst();
  }

  #markFirst(): void {
    if (this.#facts.firstMs !== undefined || this.#answer.parts.length === 0) return;
    this.#facts = { ...this.#facts, firstMs: performance.now() - this.#start };
  }

  #draw(state: AnswerTurn['state'], problem?: Problem): readonly Turn[] {
    this.#drawnAt = performance.now();
    const { usage, ended } = this.#answer;
    this.#facts = { ...this.#facts, usage, ended };
    const { texts: received, isCut } = this.#received;
    const parts = this.#answer.parts.map((part) =>
      part.kind === 'tool' && state === 'complete' ? this.#answered(part) : part,
    );
    const turn: AnswerTurn = { role: 'answer', parts, facts: this.#facts, state, problem };
    const turns = [...this.#turns, turn];
    this.#drawing.draw(turns, { ...this.#exchange, received, isCut });
    return turns;
  }

  /** The canned answer of the tool that was called. */
  #answered(part: ToolPart): ToolPart {
    const tool = this.#sending.settings.tools.find(({ name }) => name === part.name);
    return { ...part, answer: tool?.answer ?? '' };
  }
}
