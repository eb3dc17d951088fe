/** What is said, in no protocol: every protocol writes its request from it and reads its answer into it. */
export const PROTOCOLS = ['chat', 'responses', 'messages', 'gemini'] as const;
export type Protocol = (typeof PROTOCOLS)[number];
export const THINKING = ['auto', 'off', 'low', 'medium', 'high'] as const;
export type Thinking = (typeof THINKING)[number];

/** Base64 without its prefix. `data` is empty after a reload: pictures are not kept. */
export interface Attachment {
  readonly name: string;
  readonly mediaType: string;
  readonly data: string;
}

/** What the protocol that made a part wants back unchanged, such as a signature. Other protocols leave it. */
export interface Native {
  readonly protocol: Protocol;
  readonly value: unknown;
}

export type Part =
  | { readonly kind: 'text'; readonly text: string; readonly native?: Native | undefined }
  | {
      readonly kind: 'thinking';
      readonly text: string;
      readonly ms: number;
      readonly native?: Native | undefined;
    }
  | ToolPart
  | { readonly kind: 'picture'; readonly mediaType: string; readonly data: string };

export interface ToolPart {
  readonly kind: 'tool';
  readonly id: string;
  readonly name: string;
  /** JSON, possibly not all of it yet. */
  readonly input: string;
  /** What the tool answered. Undefined while the call is being written. */
  readonly answer?: string | undefined;
  readonly native?: Native | undefined;
}

export interface Usage {
  readonly input: number;
  readonly output: number;
  readonly thinking: number;
}

export interface Problem {
  readonly message: string;
  /** The HTTP status; 0 if there was no answer, 200 if a stream broke off. */
  readonly status: number;
  readonly requestId: string;
}

/** The course of one call of the gateway. */
export interface CallFacts {
  readonly requestId: string;
  readonly startedAt: number;
  readonly firstMs: number | undefined;
  readonly totalMs: number | undefined;
  readonly usage: Usage | undefined;
  /** Fields that a conversion left out. */
  readonly dropped: readonly string[];
  /** Why the answer ended, in the words of the protocol. */
  readonly ended: string;
}

export interface UserTurn {
  readonly role: 'user';
  readonly text: string;
  readonly attachments: readonly Attachment[];
}

export interface AnswerTurn {
  readonly role: 'answer';
  readonly parts: readonly Part[];
  readonly facts: CallFacts;
  readonly state: 'running' | 'complete' | 'stopped' | 'failed';
  readonly problem?: Problem | undefined;
}

export type Turn = UserTurn | AnswerTurn;

export interface Tool {
  readonly name: string;
  readonly description: string;
  /** A JSON schema of its arguments, as text. */
  readonly schema: string;
  /** What it answers, whatever it is asked. */
  readonly answer: string;
  readonly on: boolean;
}

export interface Settings {
  readonly system: string;
  /** Undefined: the model's own. */
  readonly temperature: number | undefined;
  readonly maxOutput: number;
  readonly thinking: Thinking;
  readonly tools: readonly Tool[];
  readonly stream: boolean;
  readonly asJson: boolean;
  /** A JSON schema as text. */
  readonly jsonSchema: string;
  /** Digits, or empty. Responses and Messages have none. */
  readonly seed: string;
}

export const DEFAULT_SETTINGS: Settings = {
  system: '',
  temperature: undefined,
  maxOutput: 4096,
  thinking: 'auto',
  tools: [
    {
      name: 'get_invoice',
      description: 'The invoice of a customer for a month.',
      schema: `{
  "type": "object",
  "properties": {
    "customer": { "type": "integer" },
    "month": { "type": "string", "description": "2026-11" }
  },
  "required": ["customer", "month"]
}`,
      answer: '{ "total": "236.60", "lines": [{ "seats": 13, "at": "18.20" }] }',
      on: false,
    },
  ],
  stream: true,
  asJson: false,
  jsonSchema: `{
  "type": "object",
  "properties": { "answer": { "type": "string" } },
  "required": ["answer"],
  "additionalProperties": false
}`,
  seed: '',
};

/** Everything that a request is made of. */
export interface Ask {
  readonly model: string;
  readonly turns: readonly Turn[];
  readonly settings: Settings;
}

export type Json = Record<string, unknown>;

/** The object that a text is, or undefined. */
export function objectOf(text: string): Json | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : undefined;
  } catch {
    return undefined;
  }
}

/** The tools that are offered, with their schemas read. What is no schema is left out: the form says so. */
export function offeredTools(settings: Settings): readonly (Tool & { readonly parameters: Json })[] {
  return settings.tools.flatMap((tool) => {
    const parameters = objectOf(tool.schema);
    return tool.on && parameters !== undefined ? [{ ...tool, parameters }] : [];
  });
}

/** Undefined: the answer may have any form. */
export function wantedSchema({ asJson, jsonSchema }: Settings): Json | undefined {
  return asJson ? objectOf(jsonSchema) : undefined;
}

export function isPicture({ mediaType }: { readonly mediaType: string }): boolean {
  return mediaType.startsWith('image/');
}

export function isText({ mediaType }: { readonly mediaType: string }): boolean {
  return /^text\/|\/(?:json|xml|yaml|x-yaml|javascript)$/.test(mediaType);
}

export function dataUrl({ mediaType, data }: { readonly mediaType: string; readonly data: string }): string {
  return `data:${mediaType};base64,${data}`;
}

/** Files of text travel as text: every model reads them. */
export function textOf({ name, data }: Attachment): string {
  const bytes = Uint8Array.from(atob(data), (char) => char.charCodeAt(0));
  return `${name}:\n${new TextDecoder().decode(bytes)}`;
}

/** Attachments whose content is still there. */
export function sentAttachments({ attachments }: UserTurn): readonly Attachment[] {
  return attachments.filter(({ data }) => data !== '');
}

/** What the same protocol wrote, to be sent back unchanged. */
export function nativeOf(part: { readonly native?: Native | undefined }, protocol: Protocol): unknown {
  return part.native?.protocol === protocol ? part.native.value : undefined;
}

export function answerText({ parts }: AnswerTurn): string {
  return parts.flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join('');
}

export function toolsOf({ parts }: AnswerTurn): readonly ToolPart[] {
  return parts.filter((part) => part.kind === 'tool');
}
