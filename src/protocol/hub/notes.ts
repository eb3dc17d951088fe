import { DROPPED_FIELD_CHARS_MAX, DROPPED_FIELDS_MAX } from '../../bounds.ts';
import { isArray, type JsonObject } from './content/json.ts';

/** Options a target may have no place for. Each codec says how its clients write them (`Codec.fields`). */
export type HubField =
  | 'temperature'
  | 'topP'
  | 'topK'
  | 'frequencyPenalty'
  | 'presencePenalty'
  | 'seed'
  | 'stop'
  | 'logprobs'
  | 'maxTokens'
  | 'answers'
  | 'endUser'
  | 'cacheKey'
  | 'cacheMarks'
  | 'serviceTier'
  | 'verbosity'
  | 'parallelCalls'
  | 'toolChoice'
  | 'strict'
  | 'thinking'
  | 'format'
  | 'detail'
  | 'metadata'
  | 'tools'
  | 'prefill'
  | 'citations'
  | 'reasoning'
  | 'filename';

export type FieldNames = Readonly<Record<HubField, string>>;

/** The loss report of one conversion: what the client said and the vendor will not hear. */
export class Notes {
  readonly #fields: FieldNames;
  readonly #dropped = new Set<string>();

  /** `fields` of the client's codec: the report speaks the client's words. */
  constructor(fields: FieldNames) {
    this.#fields = fields;
  }

  /** A path as the client wrote it: `logit_bias`, `tools[2]`, `messages[0].name`. For decoders. */
  drop(path: string): void {
    if (this.#dropped.size < DROPPED_FIELDS_MAX) this.#dropped.add(path.slice(0, DROPPED_FIELD_CHARS_MAX));
  }

  /** Fields of an object that nobody here reads; empty ones say nothing. */
  dropOthers(object: JsonObject, known: ReadonlySet<string>, path: string): void {
    for (const [key, value] of Object.entries(object)) {
      const isEmpty = value === undefined || value === null || (isArray(value) && value.length === 0);
      if (!isEmpty && !known.has(key)) this.drop(path === '' ? key : `${path}.${key}`);
    }
  }

  /** An option the target has no place for. For encoders, who do not know the client's words. */
  lose(field: HubField): void {
    this.drop(this.#fields[field]);
  }

  /** How the client writes an option, for a refusal that names it. */
  nameOf(field: HubField): string {
    return this.#fields[field];
  }

  get dropped(): readonly string[] {
    return [...this.#dropped];
  }
}

/**
 * The request holds content that the target cannot carry. Thrown deep inside a codec and caught in one place
 * (convert.ts), where it becomes the refusal 40004.
 */
export class Inexpressible extends Error {
  /** What the client's SDK understands, so that it can ask in another way by itself. */
  readonly details: Readonly<Record<string, unknown>> | undefined;

  /** `where` as the client wrote it, or the kind of content; `reason` names no content of the client's. */
  constructor(where: string, reason: string, details?: Readonly<Record<string, unknown>>) {
    super(`${where}: ${reason}`);
    this.name = 'Inexpressible';
    this.details = details;
  }
}
