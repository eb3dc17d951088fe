import { DROPPED_FIELD_CHARS_MAX, DROPPED_FIELDS_MAX } from '../../bounds.ts';
import { isArray, type JsonObject } from './content/json.ts';

/** Options that a target may not have. Each codec has the protocol's names for them (`Codec.fields`). */
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

/** The loss report of one conversion: what the vendor does not get of the client's request. */
export class Notes {
  readonly #fields: FieldNames;
  readonly #dropped = new Set<string>();

  /** `fields` of the client's codec: the report uses the client's field names. */
  constructor(fields: FieldNames) {
    this.#fields = fields;
  }

  /** Notes a path of the client's body: `logit_bias`, `tools[2]`, `messages[0].name`. For decoders. */
  drop(path: string): void {
    if (this.#dropped.size < DROPPED_FIELDS_MAX) this.#dropped.add(path.slice(0, DROPPED_FIELD_CHARS_MAX));
  }

  /** Notes the fields of an object that no decoder reads, except empty ones. */
  dropOthers(object: JsonObject, known: ReadonlySet<string>, path: string): void {
    for (const [key, value] of Object.entries(object)) {
      const isEmpty = value === undefined || value === null || (isArray(value) && value.length === 0);
      if (!isEmpty && !known.has(key)) this.drop(path === '' ? key : `${path}.${key}`);
    }
  }

  /**
   * Notes an option that the target does not have. For encoders, which do not know the client's field names.
   */
  lose(field: HubField): void {
    this.drop(this.#fields[field]);
  }

  /** The client's name for an option, for a refusal. */
  getClientName(field: HubField): string {
    return this.#fields[field];
  }

  get dropped(): readonly string[] {
    return [...this.#dropped];
  }
}

/**
 * The request has content that the target cannot carry. It is thrown deep inside a codec and caught in one
 * place (convert.ts), where it becomes the refusal 40004.
 */
export class Inexpressible extends Error {
  /** Fields that the client's SDK understands, so that it can change its request by itself. */
  readonly details: Readonly<Record<string, unknown>> | undefined;

  /** `where` is the client's path or the kind of content. `reason` contains no content of the client. */
  constructor(where: string, reason: string, details?: Readonly<Record<string, unknown>>) {
    super(`${where}: ${reason}`);
    this.name = 'Inexpressible';
    this.details = details;
  }
}
