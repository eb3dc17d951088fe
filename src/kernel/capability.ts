/** The steps of effort that every vendor's word for "how hard to think" maps to (rule C-35). */
export const EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;

export type Effort = (typeof EFFORTS)[number];

/**
 * What a vendor's model accepts, as far as a converted request depends on it (rule C-7). The table is data
 * (protocol/capability/). An operator overrides single fields for a model or a route in the catalogue.
 */
export interface Capabilities {
  /**
   * How thinking is controlled: not at all, by an effort (OpenAI, Claude with adaptive thinking), by a budget
   * in tokens (Claude up to 4.5, Gemini 2.5) or by a level (Gemini 3 and later).
   */
  readonly thinking: 'none' | 'effort' | 'adaptive' | 'budget' | 'level';
  /** Thinking can be switched off. */
  readonly thinkingOff: boolean;
  /** The model thinks by default. */
  readonly thinksByDefault: boolean;
  /** The supported efforts (or levels), lowest first; empty if there are none. */
  readonly efforts: readonly Effort[];
  readonly budgetTokensMin: number;
  readonly budgetTokensMax: number;
  /** temperature and top_p: both, one of the two, or neither. */
  readonly sampling: 'all' | 'one-of' | 'none';
  readonly penalties: boolean;
  readonly stopSequences: boolean;
  /** A tool can be forced (any tool, or one by name). */
  readonly forcedToolChoice: boolean;
  /** Chat Completions takes function tools while the model thinks. False: such calls belong on Responses. */
  readonly chatToolsWithThinking: boolean;
  readonly customTools: boolean;
  /** The conversation may end with the beginning of the answer. */
  readonly prefill: boolean;
  /** A system turn may be in the middle of the conversation. */
  readonly systemTurns: boolean;
  readonly structuredOutput: boolean;
  /** Structured output and function tools may be used together. */
  readonly structuredOutputWithTools: boolean;
  readonly toolResultImages: boolean;
  /** The vendor fetches images and files by URL. */
  readonly mediaUrls: boolean;
  /** Gemini 3 and later: a function call must be sent back with its thought signature. */
  readonly signaturesRequired: boolean;
  /** `reasoning_content` of earlier turns must be sent back (DeepSeek and its like). */
  readonly reasoningContent: boolean;
  /** Chat Completions: the limit of the answer is `max_completion_tokens`. False: `max_tokens`. */
  readonly maxCompletionTokens: boolean;
  /** Cache marks on single parts, for the prompt cache. */
  readonly cacheMarks: boolean;
  /** The vendor searches the web for the model (Chat Completions: search models only). */
  readonly webSearch: boolean;
  readonly maxOutputTokens: number;
}

export type CapabilityOverrides = Partial<Capabilities>;
