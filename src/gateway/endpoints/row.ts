import type { Protocol } from '../../kernel/protocol-name.ts';

type Schema = Readonly<Record<string, unknown>>;

/** What a call at an endpoint is, besides its protocol. */
export interface CallRow {
  readonly protocol: Protocol;
  /** Image edits go to the vendor's edits path, whatever the body contains. */
  readonly edit?: true;
  /** The vendor has a path of its own for this. */
  readonly action?: 'variation' | 'translation' | 'compact' | 'batch';
}

/** The endpoint in the OpenAPI document. The vendors define the bodies, so it shows only a first request. */
export interface EndpointDocument {
  readonly tag: (typeof ENDPOINT_TAGS)[number]['name'];
  readonly title: string;
  /** The vendor that defines the protocol. */
  readonly of: 'OpenAI' | 'Anthropic' | 'Google' | 'Cohere';
  readonly query?: Readonly<Record<string, string>>;
  /** The fields that a first call needs. The protocol has many more. */
  readonly body?: Readonly<Record<string, Schema>>;
  /** The one of them, besides `stream`, that may be left out. */
  readonly optional?: string;
  readonly example?: Schema;
  /** Answers with a stream of events if `stream` is set, or always. */
  readonly streams?: true;
  /** The body is a form with files. */
  readonly form?: Schema;
  /** The content type of the answer, if not JSON. */
  readonly type?: string;
  /** A further note for the reader. */
  readonly note?: string;
}

/**
 * One method at one path of the gateway. Rows hold no function: the router, the OpenAPI document and the
 * tests read them, and each row has its handler in handlers.ts.
 */
export interface EndpointRow {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /**
   * `{id}` is one segment, percent-decoded. `{model}` at the end is the rest of the path, because ids of
   * models contain slashes. `{model}:action` is Google's form.
   */
  readonly path: string;
  /** Other beginnings of the path: clients of Google append theirs to the base that they are given. */
  readonly alsoBelow?: readonly string[];
  /** It creates something and is billed. */
  readonly call?: CallRow;
  /** It counts the tokens of a request in the form of this protocol. */
  readonly counts?: 'messages' | 'responses' | 'gemini';
  /**
   * The rest is about endpoints that are neither: they are about what an account has. In whose form their
   * errors are; `by-client`: vendors share the path, and the headers decide.
   */
  readonly errors?: Protocol | 'by-client';
  /** It creates, uploads or adds something: an account that cannot pay is refused before its body is read. */
  readonly pays?: 'payer';
  /** Its handler reads a body. The body of any other request is discarded. */
  readonly hasBody?: true;
  /**
   * Anthropic has objects of another form at this path. Its clients would read ours as theirs, so they are
   * refused.
   */
  readonly refusesAnthropic?: true;
  /** No limit counts it: clients test a key with it. */
  readonly isUnlimited?: true;
  /** HEAD answers as GET does, without the body. */
  readonly alsoHead?: true;
  /** Absent: the vendor has this endpoint, and we refuse it. */
  readonly document?: EndpointDocument;
}

export const ENDPOINT_TAGS = [
  {
    name: 'Chat Completions',
    description: 'OpenAI’s protocol for chats. `model` is a `model_id` of the catalogue.',
  },
  {
    name: 'Responses',
    description: 'OpenAI’s protocol for answers that are stored and can be continued.',
  },
  { name: 'Conversations', description: 'Conversations that Responses continue.' },
  { name: 'Messages', description: 'Anthropic’s protocol.' },
  { name: 'generateContent', description: 'Google’s protocol. The model is in the path.' },
  { name: 'Images', description: 'OpenAI’s protocol for images.' },
  { name: 'Embeddings', description: 'Vectors of texts, in the forms of OpenAI and Google.' },
  { name: 'Moderations', description: 'OpenAI’s protocol for verdicts about texts and images.' },
  { name: 'Rerank', description: 'Documents in the order of their relevance to a query.' },
  { name: 'Completions', description: 'OpenAI’s older protocol, which continues a prompt.' },
  { name: 'Speech', description: 'OpenAI’s protocols for speech from texts, and texts from speech.' },
  { name: 'Videos', description: 'OpenAI’s protocol for videos, which are made after the answer.' },
  {
    name: 'Batches',
    description: 'Files and batches of OpenAI, and batches of Anthropic: many requests in one, for less.',
  },
  { name: 'Models', description: 'The models that a key can call, in the format of the client’s vendor.' },
] as const;
