import type { Signature } from './signature.ts';

/**
 * The pieces of conversations and answers, in their original order. Text and tool calls stay in one list,
 * because signatures are bound to their order (rule C-3).
 */
export type Part =
  | TextPart
  | ImagePart
  | AudioPart
  | VideoPart
  | FilePart
  | ReasoningPart
  | ToolCallPart
  | ToolResultPart
  | RefusalPart
  | ServerToolPart
  | OpaquePart;

export type PartOf<Kind extends Part['kind']> = Extract<Part, { readonly kind: Kind }>;

/** After this mark the vendor's prompt cache should store the conversation. */
export interface CacheMark {
  readonly ttl?: string | undefined;
}

export interface TextPart {
  readonly kind: 'text';
  readonly text: string;
  readonly citations?: readonly Citation[] | undefined;
  /** Gemini signs texts as well as calls. */
  readonly signatures?: readonly Signature[] | undefined;
  readonly cache?: CacheMark | undefined;
}

/** A web page that a passage is based on. `start` and `end` count UTF-16 units in the part's text. */
export interface Citation {
  readonly url: string;
  readonly title?: string | undefined;
  readonly start?: number | undefined;
  readonly end?: number | undefined;
  readonly citedText?: string | undefined;
}

/**
 * Where the bytes of an image or file are. Base64 is standard and padded. A `file` is known to one vendor
 * only.
 */
export type MediaSource =
  | { readonly kind: 'bytes'; readonly mime: string; readonly base64: string }
  | { readonly kind: 'url'; readonly url: string; readonly mime?: string | undefined }
  | { readonly kind: 'file'; readonly id: string; readonly mime?: string | undefined };

export interface ImagePart {
  readonly kind: 'image';
  readonly source: MediaSource;
  readonly detail?: 'auto' | 'low' | 'high' | 'original' | undefined;
  readonly cache?: CacheMark | undefined;
}

export interface AudioPart {
  readonly kind: 'audio';
  readonly source: MediaSource;
}

export interface VideoPart {
  readonly kind: 'video';
  readonly source: MediaSource;
}

export interface FilePart {
  readonly kind: 'file';
  readonly source: MediaSource | { readonly kind: 'text'; readonly text: string };
  readonly filename?: string | undefined;
  readonly title?: string | undefined;
  readonly cache?: CacheMark | undefined;
}

/** Visible thinking (empty if it is hidden), and what its vendor needs back with it. */
export interface ReasoningPart {
  readonly kind: 'reasoning';
  readonly text: string;
  readonly signature?: Signature | undefined;
}

export interface ToolCallPart {
  readonly kind: 'tool-call';
  readonly id: string;
  readonly name: string;
  /** Responses groups tools in namespaces. They are flattened for all other protocols. */
  readonly namespace?: string | undefined;
  /** A JSON object as raw text, never empty. For a custom tool its free text. */
  readonly arguments: string;
  readonly custom: boolean;
  /**
   * What must be sent back with the call: its own signature, and thinking that the client has no field for.
   */
  readonly signatures?: readonly Signature[] | undefined;
  readonly cache?: CacheMark | undefined;
}

export interface ToolResultPart {
  readonly kind: 'tool-result';
  readonly callId: string;
  /** Only Google needs it. It is looked up by the call's id if the client does not send it. */
  readonly name?: string | undefined;
  readonly parts: readonly Part[];
  readonly isError: boolean;
  readonly custom: boolean;
  readonly cache?: CacheMark | undefined;
}

export interface RefusalPart {
  readonly kind: 'refusal';
  readonly text: string;
}

/** A tool that ran at the vendor: raw for its own protocol, readable text for all others. */
export interface ServerToolPart {
  readonly kind: 'server-tool';
  readonly protocol: string;
  readonly raw: string;
  readonly text: string;
  /** A web search. Its result may be a separate part without queries. */
  readonly search?: SearchMade | undefined;
}

/** The queries of a search, and the pages that were found, as far as the vendor names them. */
export interface SearchMade {
  readonly queries: readonly string[];
  readonly pages: readonly { readonly url: string; readonly title?: string | undefined }[];
}

/** What a client reads of such a tool in an answer. For a search it sees the pages that the answer cites. */
export function visibleText({ text, search }: ServerToolPart): string {
  return search === undefined ? text : '';
}

/**
 * Something that only its own protocol can carry (a compaction, a container). Elsewhere it is refused, never
 * lost.
 */
export interface OpaquePart {
  readonly kind: 'opaque';
  readonly protocol: string;
  readonly type: string;
  readonly raw: string;
  /** Its path in the client's body, for the refusal. */
  readonly path: string;
}

/** Whether the part has a mark for the prompt cache. */
export function isMarked(part: Part): boolean {
  return 'cache' in part && part.cache !== undefined;
}

/** Whether the part is an image with a `detail` setting. */
export function isDetailed(part: Part): boolean {
  return part.kind === 'image' && part.detail !== undefined && part.detail !== 'auto';
}

export function isCited(part: Part): boolean {
  return part.kind === 'text' && (part.citations?.length ?? 0) > 0;
}

export function isMedia(part: Part): part is ImagePart | AudioPart | VideoPart | FilePart {
  return part.kind === 'image' || part.kind === 'audio' || part.kind === 'video' || part.kind === 'file';
}
