import type { Node } from './openapi-form.ts';

/**
 * The paths of the server besides the rows of the platform, in short: the vendors define the bodies of the
 * gateway's paths, which pass through. A test compares this list with the paths that are served.
 */
export interface GatewayRow {
  readonly method: 'get' | 'post' | 'delete';
  readonly path: string;
  readonly id: string;
  readonly tag: (typeof GATEWAY_TAGS)[number]['name'];
  readonly title: string;
  /** The vendor that defines the protocol. Absent, and without a key, for paths about the server itself. */
  readonly of?: 'OpenAI' | 'Anthropic' | 'Google' | 'Cohere';
  readonly query?: Readonly<Record<string, string>>;
  /** The fields that a first call needs. The protocol has many more. */
  readonly body?: Readonly<Record<string, Node>>;
  readonly example?: Node;
  /** Answers with a stream of events if `stream` is set, or always. */
  readonly streams?: true;
  /** The body is a form with files. */
  readonly form?: Node;
  /** The content type of the answer, if not JSON. */
  readonly type?: string;
  /** A further note for the reader. */
  readonly note?: string;
}

export const GATEWAY_TAGS = [
  {
    name: 'Chat Completions',
    description: 'OpenAI’s protocol for chats. `model` is a `model_id` of the catalogue.',
  },
  { name: 'Responses', description: 'OpenAI’s protocol for answers that are stored and can be continued.' },
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
  { name: 'Server', description: 'Public information about the server.' },
] as const;
