import type { Model } from '../models.ts';
import type { Json } from './json.ts';

/** What a valid request asks for, whatever protocol it came in. */
export interface Ask {
  readonly kind: 'ask';
  readonly model: Model;
  readonly stream: 'stream' | 'plain';
  /** All text of users and tools, in order: directives are looked for here, and the seed is its hash. */
  readonly text: string;
  readonly inputTokens: number;
  /** Reasoning included. */
  readonly outputTokensMax: number | undefined;
  readonly stops: readonly string[];
  readonly tools: readonly AskedTool[];
  /** `required`: some tool; a name: that tool. */
  readonly choice: 'auto' | 'none' | 'required' | { readonly name: string };
  readonly parallel: 'many' | 'one';
  /** Rounds of tool results since the user last spoke. */
  readonly toolRounds: number;
  /** A schema the answer must follow; an empty one is any JSON object. */
  readonly format: Json | undefined;
  readonly thinking: 'never' | 'when-told' | 'asked';
  readonly thoughts: 'hidden' | 'shown';
  /** Pictures the answer will hold. */
  readonly images: number;
  /** Output tokens of each of them. */
  readonly imageTokens: number;
  /** Answers to the same request (`n`, `candidateCount`). */
  readonly copies: number;
  /** The request itself, for what the answer echoes. */
  readonly body: Json;
  /** Who asks: encrypted reasoning is bound to it. */
  readonly key: string;
}

export interface AskedTool {
  readonly name: string;
  readonly schema: Json;
  readonly kind: 'function' | 'custom';
  /** Responses only: what the tool stands in; a call names both. */
  readonly namespace?: string;
}

/** A request that is answered with numbers, and with no word. */
export function wordlessAsk(asked: Pick<Ask, 'model' | 'text' | 'inputTokens' | 'body' | 'key'>): Ask {
  return {
    kind: 'ask',
    ...asked,
    stream: 'plain',
    outputTokensMax: undefined,
    stops: [],
    tools: [],
    choice: 'auto',
    parallel: 'many',
    toolRounds: 0,
    format: undefined,
    thinking: 'never',
    thoughts: 'hidden',
    images: 0,
    imageTokens: 0,
    copies: 1,
  };
}

/** A finished HTTP answer: errors, counts, lists and plain answers. */
export interface Reply {
  readonly kind: 'reply';
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export function isReply(value: Ask | Reply): value is Reply {
  return value.kind === 'reply';
}
