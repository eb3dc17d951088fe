import type { TextProtocol } from '../../../src/protocol/hub/protocol.ts';
import type { Body } from './request-part.ts';

/** The plainest body of each client; the user has the last word. */
export function plainBody(client: TextProtocol): Body {
  switch (client) {
    case 'chat':
      return { model: 'm', messages: [{ role: 'user', content: [{ type: 'text', text: 'hello' }] }] };
    case 'responses':
      return { model: 'm', input: [{ role: 'user', content: [{ type: 'input_text', text: 'hello' }] }] };
    case 'messages': {
      const messages = [{ role: 'user', content: [{ type: 'text', text: 'hello' }] }];
      return { model: 'm', max_tokens: 30000, messages };
    }
    case 'gemini':
      return { contents: [{ role: 'user', parts: [{ text: 'hello' }] }] };
  }
}
