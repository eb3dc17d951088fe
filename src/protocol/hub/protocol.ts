import type { Protocol } from '../../kernel/protocol-name.ts';

/** The four text protocols. Images is separate. */
export type TextProtocol = Exclude<Protocol, 'images' | 'embeddings' | 'gemini-embeddings'>;
