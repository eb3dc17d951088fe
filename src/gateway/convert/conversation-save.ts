import { CONVERSATION_VALUE_BYTES_MAX } from '../../bounds.ts';
import { joinPieces, nextTurn } from '../../kernel/async/next-turn.ts';
import type { Outline } from '../../protocol/bytes/outline.ts';
import type { Framing, MemoryFacts, PlainAnswer, StreamRelay } from '../../protocol/dialect.ts';
import { nameResponse } from '../../protocol/responses/stored/background.ts';
import { finalResponse } from '../../protocol/responses/stored/final-response.ts';
import { packResponse } from '../../protocol/responses/stored/kept-response.ts';
import type { UpstreamHead } from '../../upstream/contract.ts';
import type { AttemptContext } from '../attempt/attempt-context.ts';
import { CapturingRelay } from './capturing-relay.ts';
import { addToConversation } from './conversation-items.ts';
import { keyOfItem, keyOfResponse } from './conversation-load.ts';
import type { Translation } from './translation.ts';

/**
 * Responses: stores the answer for the client, unless the request has `store: false`. A compaction is not a
 * response: the client sends it with its next request.
 */
export function saveAnswer(context: AttemptContext, translation: Translation): Translation {
  const { memory } = context.facts;
  if (memory === undefined || context.call.endpoint.action === 'compact') return translation;
  const isKept = memory.keep || context.raw.conversation !== undefined;
  return isKept ? new SavingTranslation(context, translation, memory) : translation;
}

/** Wraps a translation and stores the answer that passes through it. */
class SavingTranslation implements Translation {
  readonly protocol;
  readonly action;
  readonly body;
  readonly contentType;
  readonly clientHeaders;
  readonly query;
  readonly outputLimit;
  readonly dropped;
  readonly #context: AttemptContext;
  readonly #translation: Translation;
  readonly #memory: MemoryFacts;
  #answer: readonly Buffer[] | undefined;

  constructor(context: AttemptContext, translation: Translation, memory: MemoryFacts) {
    this.#context = context;
    this.#translation = translation;
    this.#memory = memory;
    this.protocol = translation.protocol;
    this.action = translation.action;
    this.body = translation.body;
    this.clientHeaders = translation.clientHeaders;
    this.contentType = translation.contentType;
    this.query = translation.query;
    this.outputLimit = translation.outputLimit;
    this.dropped = translation.dropped;
  }

  findFraming(head: UpstreamHead): Framing | undefined {
    return this.#translation.findFraming(head);
  }

  clientFraming(framing: Framing): Framing {
    return this.#translation.clientFraming(framing);
  }

  /**
   * The answer is stored before the client can see that it is complete: its next request may follow at once.
   */
  relay(framing: Framing): StreamRelay {
    return new CapturingRelay(this.#translation.relay(framing), (events) => this.#keepFinal(events));
  }

  readAnswer(body: Buffer, outline: Outline | undefined): PlainAnswer | Promise<PlainAnswer> {
    const answer = this.#translation.readAnswer(body, outline);
    return answer instanceof Promise ? answer.then((read) => this.#capture(read)) : this.#capture(answer);
  }

  #capture(answer: PlainAnswer): PlainAnswer {
    // A client that asked for a stream never gets a plain answer, so a plain answer is not stored.
    const isGiven = answer.valid && !answer.isError && !this.#context.facts.stream;
    if (isGiven) this.#answer = answer.pieces;
    return answer;
  }

  answerHeaders(head: UpstreamHead): string[] {
    return this.#translation.answerHeaders(head);
  }

  save(): void {
    this.#translation.save();
    if (this.#answer !== undefined) this.#keep(this.#answer);
    this.#answer = undefined;
  }

  #keepFinal(events: Buffer): void {
    this.#later(async () => {
      const response = await finalResponse(events);
      if (response !== undefined) await this.#store(response);
    });
  }

  #keep(pieces: readonly Buffer[]): void {
    const bytes = pieces.reduce((sum, { length }) => sum + length, 0);
    if (bytes > CONVERSATION_VALUE_BYTES_MAX) return;
    this.#later(async () => this.#store(await joinPieces(pieces, bytes)));
  }

  /** Runs the work after the answer itself has been sent. */
  #later(work: () => Promise<void>): void {
    this.#context.deps.tasks.run('conversation.keep', async () => {
      await nextTurn();
      await work();
    });
  }

  async #store(answer: Buffer): Promise<void> {
    const { raw, call, deps } = this.#context;
    const { body, previousResponseId, conversation } = raw;
    const { responseId } = call;
    const named = responseId === undefined ? answer : nameResponse(answer, responseId);
    const kept = await packResponse({ body, memory: this.#memory, previousResponseId }, named);
    if (kept === undefined) return;
    const accountId = call.caller.account.id;
    const output = [...kept.items.values()];
    if (conversation !== undefined) await addToConversation(conversation, output, { call, deps });
    if (!this.#memory.keep) return;
    if (kept.value !== undefined) deps.conversations.keep(accountId, keyOfResponse(kept.id), kept.value);
    for (const [id, item] of kept.items) {
      deps.conversations.keep(accountId, keyOfItem(id), item);
    }
  }
}
