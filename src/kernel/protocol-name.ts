/** The five protocols of clients and vendors, with the names of the catalogue file. */
export const PROTOCOLS = ['chat', 'responses', 'messages', 'gemini', 'images'] as const;

export type Protocol = (typeof PROTOCOLS)[number];
