/** The five shapes a client may speak and a vendor may understand; the names are the catalogue file's. */
export const PROTOCOLS = ['chat', 'responses', 'messages', 'gemini', 'images'] as const;

export type Protocol = (typeof PROTOCOLS)[number];

export function isProtocol(text: unknown): text is Protocol {
  return (PROTOCOLS as readonly unknown[]).includes(text);
}
