/** The protocols of the gateway, with the names that the API uses. */
const TEXT = ['chat', 'responses', 'messages', 'gemini'] as const;
const EMBEDDINGS = ['embeddings', 'gemini-embeddings'] as const;
export const PROTOCOLS = [...TEXT, 'images', ...EMBEDDINGS] as const;
export type Protocol = (typeof PROTOCOLS)[number];

export function isTextProtocol(protocol: Protocol): protocol is (typeof TEXT)[number] {
  return TEXT.some((each) => each === protocol);
}

export function isEmbeddingProtocol(protocol: Protocol): protocol is (typeof EMBEDDINGS)[number] {
  return EMBEDDINGS.some((each) => each === protocol);
}
