import type { Protocol } from '../../kernel/protocol-name.ts';

/** The four protocols of conversations. Each is converted to each. */
export type TextProtocol = Extract<Protocol, 'chat' | 'responses' | 'messages' | 'gemini'>;

/** The protocols that generate text, whose length a request can limit. */
export type GeneratingProtocol = TextProtocol | Extract<Protocol, 'completions'>;
