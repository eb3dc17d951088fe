import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { TextProtocol } from '../../../src/protocol/hub/protocol.ts';
import { documentOf, type Node } from './document.ts';

interface Names {
  readonly request: string;
  readonly answer: string;
  readonly event: string;
}

const NAMES: Readonly<Record<TextProtocol, Names>> = {
  chat: {
    request: 'CreateChatCompletionRequest',
    answer: 'CreateChatCompletionResponse',
    event: 'CreateChatCompletionStreamResponse',
  },
  responses: { request: 'CreateResponse', answer: 'Response', event: 'ResponseStreamEvent' },
  messages: { request: 'CreateMessageParams', answer: 'Message', event: 'MessageStreamEvent' },
  gemini: {
    request: 'GenerateContentRequest',
    answer: 'GenerateContentResponse',
    event: 'GenerateContentResponse',
  },
};

/** Judges bodies by the specification of a protocol. Each schema is compiled when it is first asked for. */
export class Judge {
  readonly #protocol: TextProtocol;
  readonly #ajv = new Ajv2020({ strict: false, validateFormats: false, inlineRefs: false });
  readonly #compiled = new Map<string, ValidateFunction>();
  #events: ReadonlyMap<string, string> | undefined;

  constructor(protocol: TextProtocol) {
    this.#protocol = protocol;
    const { id, schemas } = documentOf(protocol);
    this.#ajv.addSchema({ $id: id, schemas });
  }

  request(body: unknown): string | undefined {
    const { request } = NAMES[this.#protocol];
    // What the vendor does not know it refuses, also where its document is silent about that.
    return this.#problem(request, body, { unevaluatedProperties: false });
  }

  answer(body: unknown): string | undefined {
    return this.#problem(NAMES[this.#protocol].answer, body, {});
  }

  event(body: unknown): string | undefined {
    const { event } = NAMES[this.#protocol];
    this.#events ??= this.#eventNames(event);
    if (this.#events.size === 0) return this.#problem(event, body, {});
    const type = String((body as Node).type);
    const name = this.#events.get(type);
    return name === undefined ? `no event is called ${type}` : this.#problem(name, body, {});
  }

  /** The schemas of a union by the names of their events: a problem is then told of the right one. */
  #eventNames(union: string): ReadonlyMap<string, string> {
    const { schemas } = documentOf(this.#protocol);
    const alternatives = (schemas[union]?.anyOf ?? []) as readonly { readonly $ref: string }[];
    const named = alternatives.map(({ $ref }) => {
      const name = $ref.slice($ref.lastIndexOf('/') + 1);
      const type = (schemas[name]?.properties as Record<string, Node> | undefined)?.type;
      return [String(type?.const ?? (type?.enum as readonly string[] | undefined)?.[0]), name] as const;
    });
    return new Map(named);
  }

  #problem(name: string, body: unknown, more: Node): string | undefined {
    const known = this.#compiled.get(name);
    const $ref = `${documentOf(this.#protocol).id}#/schemas/${name}`;
    const validate = known ?? this.#ajv.compile({ $ref, ...more });
    this.#compiled.set(name, validate);
    if (validate(body)) return undefined;
    const told = (validate.errors ?? []).map(({ instancePath, message, params }) => {
      const { additionalProperty, unevaluatedProperty, allowedValues } = params as Node;
      const what = additionalProperty ?? unevaluatedProperty ?? allowedValues ?? '';
      return `${instancePath.replace(/\/\d+(?=\/|$)/g, '/N')} ${message} ${JSON.stringify(what)}`;
    });
    return [...new Set(told)].join('; ');
  }
}
