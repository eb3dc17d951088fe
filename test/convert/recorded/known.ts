import type { TextProtocol } from '../../../src/protocol/hub/protocol.ts';

/** A recording that does not come through as its vendor told it, and why that is right or unavoidable. */
export interface Known {
  readonly id: string;
  readonly clients: readonly TextProtocol[];
  readonly reason: string;
}

const ALL: readonly TextProtocol[] = ['chat', 'responses', 'messages', 'gemini'];

/** The whole list: what fails and is not here fails the test, and so does what is here and has healed. */
export const KNOWN: readonly Known[] = [
  {
    id: 'spliced-message-start.chunks.txt',
    clients: ALL,
    reason: 'a relay put a second answer into an unfinished one; what the first said was passed on already',
  },
];

/** How many recordings there are that were answered, and how many of them stream. */
export const TOTALS: Readonly<Record<TextProtocol, { readonly plain: number; readonly streams: number }>> = {
  chat: { plain: 361, streams: 61 },
  responses: { plain: 243, streams: 129 },
  messages: { plain: 222, streams: 86 },
  gemini: { plain: 298, streams: 51 },
};
