import type { Json, Native, Part, ToolPart, Usage } from '../lanes/conversation.ts';

/** An answer while it arrives. The readers of the four protocols write into it. */
export class Answer {
  readonly #parts: Part[] = [];
  /** Where the part of a key stands: an index or id of the protocol. */
  readonly #places = new Map<unknown, number>();
  #thinkingSince = 0;
  usage: Usage | undefined;
  ended = '';
  problem: string | undefined;

  get parts(): readonly Part[] {
    return [...this.#parts];
  }

  text(text: string, native?: Native): void {
    if (text === '' && native === undefined) return;
    const last = this.#parts.at(-1);
    if (last?.kind !== 'text') this.#parts.push({ kind: 'text', text, native });
    else
      this.#parts[this.#parts.length - 1] = {
        ...last,
        text: last.text + text,
        native: native ?? last.native,
      };
  }

  thinking(text: string, native?: Native): void {
    const last = this.#parts.at(-1);
    const now = performance.now();
    if (last?.kind !== 'thinking') {
      if (text === '' && native === undefined) return;
      this.#thinkingSince = now;
      this.#parts.push({ kind: 'thinking', text, ms: 0, native });
      return;
    }
    this.#parts[this.#parts.length - 1] = {
      ...last,
      text: last.text + text,
      ms: now - this.#thinkingSince,
      native: native ?? last.native,
    };
  }

  /** A new thought: what follows does not belong to the one before. */
  newThought(native: Native): void {
    this.#thinkingSince = performance.now();
    this.#parts.push({ kind: 'thinking', text: '', ms: 0, native });
  }

  /** More of a tool call. What is undefined stays. */
  tool(
    key: unknown,
    more: { id?: string; name?: string; input?: string; native?: Native | undefined },
  ): void {
    const place = this.#places.get(key);
    const known = place === undefined ? undefined : (this.#parts[place] as ToolPart);
    const next: ToolPart = {
      kind: 'tool',
      id: more.id ?? known?.id ?? '',
      name: more.name ?? known?.name ?? '',
      input: (known?.input ?? '') + (more.input ?? ''),
      native: more.native ?? known?.native,
    };
    if (place === undefined) {
      this.#places.set(key, this.#parts.length);
      this.#parts.push(next);
    } else this.#parts[place] = next;
  }

  picture(mediaType: string, data: string): void {
    this.#parts.push({ kind: 'picture', mediaType, data });
  }
}

/** How one protocol is spoken. */
export interface Wire {
  /** Below the base address. */
  path(model: string, stream: boolean): string;
  /** Takes one event of a stream. */
  event(event: Json, into: Answer): void;
  /** Takes an answer that came at once. */
  whole(body: Json, into: Answer): void;
}

/** Forgiving reads of what a vendor wrote. */
export function record(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};
}

export function records(value: unknown): readonly Json[] {
  return Array.isArray(value) ? value.map(record) : [];
}

export function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

export function figure(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : 0;
}

/** The message of an error body of any of the protocols. */
export function errorMessage(body: Json): string {
  const error = record(body.error ?? record(body.response).error);
  return text(error.message) || text(body.message) || text(error.type);
}
