import type { Upstream } from '../upstream.ts';

/** What every SDK of the matrix can be asked, in no protocol's words. */
export interface Ask {
  readonly model: string;
  readonly prompt: string;
  readonly system?: string;
  /** A picture as base64 of a PNG. */
  readonly image?: string;
  readonly tools?: readonly Tool[];
  readonly thinking?: Thinking;
  readonly schema?: JsonSchema;
  readonly stop?: string;
  readonly maxTokens?: number;
  /** What was said since the prompt, oldest first. */
  readonly rounds?: readonly Round[];
  readonly signal?: AbortSignal;
  /** Called with every event of a stream that brings text. */
  readonly onText?: () => void;
}

/** Older models of Anthropic take a budget, newer ones think as much as they find right. */
export type Thinking = 'budget' | 'adaptive';

export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly schema: JsonSchema;
}

export interface JsonSchema {
  readonly type: 'object';
  readonly properties: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly required: readonly string[];
  readonly additionalProperties: false;
}

/** A turn of the assistant as the SDK gave it, and what its tools answered. */
export interface Round {
  readonly turn: unknown;
  readonly results: readonly ToolResult[];
  /** What the user said next. */
  readonly next?: string;
}

export interface ToolResult {
  readonly id: string;
  readonly name: string;
  readonly text: string;
}

/** What the SDK gave its user. */
export interface Reply {
  readonly text: string;
  readonly reasoning: string;
  readonly refusal: string;
  readonly calls: readonly ToolCall[];
  /** In the client's own words. */
  readonly finish: string;
  /** As the SDK shows it. */
  readonly usage: unknown;
  /** What the SDK's users put into the history. */
  readonly turn: unknown;
  /** What the SDK itself read out of a structured answer, where it does. */
  readonly object?: unknown;
}

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

/** Runs a tool. */
export type Execute = (call: Omit<ToolCall, 'id'>) => string;

export type Mode = 'plain' | 'streamed';

/** In whose words finish reasons and usage are. */
export type Form = 'chat' | 'responses' | 'messages' | 'gemini' | 'ai';

/** How a refusal ends, and where its words are. */
export interface RefusalForm {
  readonly finish: string;
  readonly field: 'text' | 'refusal' | 'both';
}

export interface Client {
  readonly form: Form;
  ask(ask: Ask, mode: Mode): Promise<Reply>;
  /** Status of the error that an SDK raised for an answer of the gateway. */
  statusOf(error: unknown): number | undefined;
  /** Whether the user of this client gets to see what the model thought, where the vendor has it. */
  showsReasoning(upstream: Upstream, model: string): boolean;
  /** Google's protocol counts what was written to a cache as ordinary input. */
  readonly hidesCacheWrites?: boolean;
  /** Where the SDK itself shows a refusal in another way than its protocol. */
  refusal?(upstream: Upstream): RefusalForm | undefined;
  /** The SDK's own loop over tools, to the last answer; nothing where it has none. */
  loop?(ask: Ask, mode: Mode, execute: Execute): Promise<string>;
  /** How the SDK writes the text of a tool's result, where it does not write it as it is. */
  resultText?(result: ToolResult): string;
}

/** Makes a client of an SDK for the gateway at this address. */
export type ClientMaker = (gateway: Gateway) => Client;

export interface Gateway {
  readonly url: string;
  readonly key: string;
  /** Takes down what was answered. */
  readonly fetch: typeof fetch;
}
