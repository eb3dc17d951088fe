import type { Effort } from '../../kernel/capability.ts';
import type { JsonObject } from './content/json.ts';
import type { FieldNames } from './notes.ts';
import type { Part, TextPart } from './part.ts';
import type { TextProtocol } from './protocol.ts';

/**
 * A request in the form of the hub, independent of the client's protocol. It is plain data and never changes.
 */
export interface HubRequest {
  readonly client: TextProtocol;
  readonly stream: boolean;
  /** The leading system and developer texts, one part for each. */
  readonly system: readonly TextPart[];
  readonly turns: readonly Turn[];
  readonly tools: readonly Tool[];
  readonly vendorTools: readonly VendorTool[];
  /** Web search is the only vendor tool that all four protocols have. */
  readonly webSearch?: WebSearch | undefined;
  readonly toolChoice: ToolChoice | undefined;
  readonly parallelCalls: boolean | undefined;
  /** Chat Completions: the client declared `functions`, and expects `function_call` back. */
  readonly legacyFunctions?: boolean | undefined;
  readonly thinking: Thinking;
  readonly format: OutputFormat;
  readonly verbosity: string | undefined;
  readonly sampling: Sampling;
  readonly stop: readonly string[];
  readonly maxTokens: number | undefined;
  /** The number of requested answers, at least 1. */
  readonly answers: number;
  /** How many alternatives of each token are requested. `undefined`: no logprobs. */
  readonly logprobs: number | undefined;
  /** The client's name for its end user (`safety_identifier`, `user`, `metadata.user_id`). */
  readonly endUser: string | undefined;
  /** Pairs that the vendor keeps with a stored answer. */
  readonly metadata: Metadata | undefined;
  readonly cacheKey: string | undefined;
  readonly serviceTier: string | undefined;
  /** Chat streams: the client wants the usage chunk. Other clients always get their usage. */
  readonly includeUsage: boolean;
  /** Options with two names that the client wrote with the less usual one, for the loss report. */
  readonly spelled?: Partial<FieldNames> | undefined;
  /**
   * Top-level fields of the client's body as raw JSON. Used only to echo them in the client's protocol
   * (Responses).
   */
  readonly echo: ReadonlyMap<string, string>;
}

export interface Metadata {
  readonly fields: JsonObject;
  /** The client lets the vendor store the answer. Without that, Chat Completions accepts no pairs. */
  readonly isKept: boolean;
}

/** Tool results are in user turns, as in Messages. A system turn is one in mid-conversation. */
export interface Turn {
  readonly role: 'user' | 'assistant' | 'system';
  readonly parts: readonly Part[];
}

export type Tool = FunctionTool | CustomTool;

export interface FunctionTool {
  readonly kind: 'function';
  readonly name: string;
  readonly namespace?: string | undefined;
  readonly description?: string | undefined;
  /**
   * JSON Schema as raw text, because its key order and numbers matter (rule C-4). `undefined`: no arguments.
   */
  readonly schema: string | undefined;
  readonly strict: boolean | undefined;
  readonly cached?: boolean | undefined;
  /** The client's type for the tool if it is not a function there. Calls are sent back with this type. */
  readonly clientType?: string | undefined;
}

/** A tool whose input is free text, possibly with a grammar. */
export interface CustomTool {
  readonly kind: 'custom';
  readonly name: string;
  readonly namespace?: string | undefined;
  readonly description?: string | undefined;
  readonly grammar?: { readonly syntax: string; readonly definition: string } | undefined;
}

/**
 * A tool that runs at the client's vendor. Other vendors have no equivalent, so it is dropped and reported.
 */
export interface VendorTool {
  readonly type: string;
  readonly path: string;
}

export type SearchOption = 'contextSize' | 'allowedDomains' | 'blockedDomains' | 'maxUses' | 'location';

export interface WebSearch {
  /** Its path in the client's body and its names for the options, for the loss report. */
  readonly path: string;
  readonly names: Partial<Readonly<Record<SearchOption, string>>>;
  /** `low`, `medium` or `high`. */
  readonly contextSize?: string | undefined;
  readonly allowedDomains?: readonly string[] | undefined;
  readonly blockedDomains?: readonly string[] | undefined;
  readonly maxUses?: number | undefined;
  /** City, region, country and time zone, as far as they are known. */
  readonly location?: JsonObject | undefined;
}

export type ToolChoice =
  | { readonly kind: 'auto' | 'none' | 'required' }
  | { readonly kind: 'tool'; readonly name: string; readonly namespace?: string | undefined }
  | { readonly kind: 'subset'; readonly names: readonly string[]; readonly required: boolean };

export interface Thinking {
  /** `undefined`: the client did not set it. */
  readonly mode: 'off' | 'adaptive' | 'budget' | 'between-tools' | undefined;
  readonly effort: Effort | undefined;
  readonly budgetTokens: number | undefined;
  /** Whether the client wants to see the thinking. `undefined`: its protocol's default. */
  readonly show: boolean | undefined;
  /** Responses: `auto`, `concise` or `detailed`. */
  readonly summaryStyle: string | undefined;
}

export type OutputFormat =
  | { readonly kind: 'text' }
  | { readonly kind: 'json' }
  | {
      readonly kind: 'schema';
      readonly name: string | undefined;
      readonly description: string | undefined;
      /** JSON Schema as raw text. */
      readonly schema: string;
      readonly strict: boolean | undefined;
    };

export interface Sampling {
  readonly temperature: number | undefined;
  readonly topP: number | undefined;
  readonly topK: number | undefined;
  readonly frequencyPenalty: number | undefined;
  readonly presencePenalty: number | undefined;
  readonly seed: number | undefined;
}

export const NO_SAMPLING: Sampling = Object.freeze({
  temperature: undefined,
  topP: undefined,
  topK: undefined,
  frequencyPenalty: undefined,
  presencePenalty: undefined,
  seed: undefined,
});

export const NO_THINKING: Thinking = Object.freeze({
  mode: undefined,
  effort: undefined,
  budgetTokens: undefined,
  show: undefined,
  summaryStyle: undefined,
});
