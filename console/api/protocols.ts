/** The protocols of the gateway, with the names that the API uses. */
const TEXT = ['chat', 'responses', 'messages', 'gemini'] as const;
const EMBEDDINGS = ['embeddings', 'gemini-embeddings'] as const;
/** These are passed through, and never converted. */
export const PASSED = ['moderations', 'rerank', 'completions', 'speech', 'videos'] as const;
export const PROTOCOLS = [...TEXT, 'images', ...EMBEDDINGS, ...PASSED, 'transcriptions'] as const;
export type Protocol = (typeof PROTOCOLS)[number];

export function isTextProtocol(protocol: Protocol): protocol is (typeof TEXT)[number] {
  return TEXT.some((each) => each === protocol);
}

/** The playground writes and draws. Videos are jobs, and the others make neither text nor pictures. */
export function isForPlayground(protocol: string): boolean {
  return protocol === 'images' || TEXT.some((each) => each === protocol);
}

export function isEmbeddingProtocol(protocol: Protocol): protocol is (typeof EMBEDDINGS)[number] {
  return EMBEDDINGS.some((each) => each === protocol);
}

/** The protocols of one family are converted into each other. */
const FAMILIES: readonly (readonly Protocol[])[] = [TEXT, EMBEDDINGS];

/** What else a model can be called by, if its routes speak these. */
export function convertedFrom(own: readonly Protocol[]): readonly Protocol[] {
  const spoken = FAMILIES.filter((family) => family.some((each) => own.includes(each)));
  return spoken.flat().filter((each) => !own.includes(each));
}
