/** A piece of JSON of the document. */
export type Node = Readonly<Record<string, unknown>>;

export interface OpenApiDocument extends Node {
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>;
  readonly components: {
    readonly securitySchemes: Node;
    readonly schemas: Readonly<Record<string, Node>>;
    readonly responses: Readonly<Record<string, Response>>;
  };
}

export interface OpenApiOperation extends Node {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly security: readonly Node[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: RequestBody;
  readonly responses: Readonly<Record<string, Response | { readonly $ref: string }>>;
}

export interface Parameter extends Node {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly required: boolean;
  readonly schema: object;
}

export interface RequestBody extends Node {
  readonly required: boolean;
  readonly content: Content;
}

export type Content = Readonly<Record<string, MediaType>>;

export interface MediaType extends Node {
  readonly schema: object;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}

export interface Response extends Node {
  readonly description: string;
  readonly content: Content;
}
