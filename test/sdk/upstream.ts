/** The protocols that a vendor may speak. */
export const UPSTREAMS = ['chat', 'responses', 'messages', 'gemini'] as const;
export type Upstream = (typeof UPSTREAMS)[number];
