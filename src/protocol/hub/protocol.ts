import type { Protocol } from '../../kernel/protocol-name.ts';

/** The four protocols for text; Images is a small world of its own. */
export type TextProtocol = Exclude<Protocol, 'images'>;
