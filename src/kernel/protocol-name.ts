/** The protocols of clients and vendors, with the names of the catalogue file. */
export const PROTOCOLS = [
  ...(['chat', 'responses', 'messages', 'gemini', 'images'] as const),
  ...(['embeddings', 'gemini-embeddings', 'moderations', 'rerank', 'completions', 'speech'] as const),
  ...(['transcriptions', 'videos'] as const),
] as const;

export type Protocol = (typeof PROTOCOLS)[number];

/** Google's clients: they have the model in the path, and Google's form of errors. */
export function isGoogleProtocol(protocol: Protocol | undefined): boolean {
  return protocol === 'gemini' || protocol === 'gemini-embeddings';
}
