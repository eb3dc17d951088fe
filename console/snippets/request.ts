import type { Json } from './literals.ts';

/** The shapes in which a model can be called. */
export type Protocol = 'chat' | 'responses' | 'messages' | 'gemini' | 'images';

export type Body = { readonly [key: string]: Json };

/** One request, as a client would send it. The body of `gemini` has no model: it stands in the path. */
export interface SnippetRequest {
  readonly protocol: Protocol;
  readonly body: Body;
  /** Whether the answer is streamed. `gemini` says it in the path, the others in the body. */
  readonly stream: boolean;
}

const HELLO = 'Say hello';

/** The smallest request that shows an answer. */
export function helloRequest(protocol: Protocol, model: string): SnippetRequest {
  const messages = [{ role: 'user', content: HELLO }];
  switch (protocol) {
    case 'chat':
      return { protocol, stream: false, body: { model, messages } };
    case 'responses':
      return { protocol, stream: false, body: { model, input: HELLO } };
    case 'messages':
      return { protocol, stream: false, body: { model, max_tokens: 1024, messages } };
    case 'gemini':
      return { protocol, stream: false, body: { contents: [{ role: 'user', parts: [{ text: HELLO }] }] } };
    case 'images':
      return { protocol, stream: false, body: { model, prompt: 'A toll gate at dawn' } };
  }
}

/** Where a request goes, below the base address. */
export function pathOf({ protocol, stream }: SnippetRequest, model: string): string {
  switch (protocol) {
    case 'chat':
      return '/v1/chat/completions';
    case 'responses':
      return '/v1/responses';
    case 'messages':
      return '/v1/messages';
    case 'images':
      return '/v1/images/generations';
    case 'gemini': {
      const action = stream ? 'streamGenerateContent?alt=sse' : 'generateContent';
      return `/v1beta/models/${encodeURIComponent(model)}:${action}`;
    }
  }
}
