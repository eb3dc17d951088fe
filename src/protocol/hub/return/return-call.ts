import { ENVELOPE_SIGNATURES_MAX } from '../../../bounds.ts';
import type { CodecRules, Session } from '../codec.ts';
import { clientCallId, synthesizeCallId } from '../fit/ids.ts';
import type { ToolNames } from '../fit/names.ts';
import type { Signature } from '../signature.ts';

/** What the conversion of an answer must know. */
export interface ReturnPlan {
  readonly session: Session;
  readonly names: ToolNames;
  /** The rules of the client's protocol. */
  readonly client: CodecRules;
  /**
   * Signatures that the client has no place for: of calls by the ids that Chat clients see, of texts by
   * `signedTextKey`. Filled while the answer passes.
   */
  readonly kept: Map<string, readonly Signature[]>;
}

/** What the head of a streamed call and a call in a plain answer have in common. */
interface Call {
  readonly id: string;
  readonly name: string;
  readonly namespace?: string | undefined;
  readonly custom: boolean;
  readonly signatures?: readonly Signature[] | undefined;
}

export interface ReturnedCall<T extends Call> {
  readonly call: T;
  /** Its own signatures, if the client carries them in thinking before it. */
  readonly carried: readonly Signature[];
  /** Its arguments contain the text of a custom tool. */
  readonly wrapped: boolean;
}

/** The position of a call in an answer, and the thinking before it that the client has no field for. */
export interface CallPlace {
  readonly choice: number;
  readonly index: number;
  readonly thoughts: readonly Signature[];
}

/**
 * Turns the vendor's calls into the client's: with its name, a new id, and the signatures that it can carry.
 */
export class CallReturn {
  readonly #plan: ReturnPlan;
  /** Ids that the client already knows, from the history and from this answer. */
  #usedIds: Set<string> | undefined;

  constructor(plan: ReturnPlan) {
    this.#plan = plan;
  }

  returnCall<T extends Call>(call: T, place: CallPlace): ReturnedCall<T> {
    const { names, client, kept, session } = this.#plan;
    const { wrapped, ...tool } = names.toClient(call);
    const id = this.#clientId(call.id, place);
    const { signatures: own = [], namespace: _namespace, ...rest } = call;
    const riding = client.carriesReasoning ? [] : [...place.thoughts, ...own].slice(-ENVELOPE_SIGNATURES_MAX);
    if (riding.length > 0 && session.request.client === 'chat') kept.set(id, riding);
    const returned = {
      ...rest,
      id,
      name: tool.name,
      ...(tool.namespace === undefined ? {} : { namespace: tool.namespace }),
      custom: call.custom || wrapped,
      ...(riding.length === 0 ? {} : { signatures: riding }),
    };
    // Only fields of `Call` are replaced, so the type stays the same.
    return { call: returned as unknown as T, carried: client.carriesReasoning ? own : [], wrapped };
  }

  /** Vendors may send no id, or the same one in every answer. The client needs a unique one for each call. */
  #clientId(vendorId: string, { choice, index }: CallPlace): string {
    const { request, callId } = this.#plan.session;
    this.#usedIds ??= new Set(
      request.turns.flatMap(({ parts }) => parts.map((part) => (part.kind === 'tool-call' ? part.id : ''))),
    );
    const wanted = vendorId === '' ? '' : clientCallId(vendorId);
    const id = this.#usedIds.has(wanted) || wanted === '' ? synthesizeCallId(callId, choice, index) : wanted;
    this.#usedIds.add(id);
    return id;
  }
}
