import type { TextProtocol } from '../../../src/protocol/hub/protocol.ts';

type Counts = Readonly<Record<string, number>>;

const unread = (type: string): string =>
  `file: application/vnd.openxmlformats-officedocument.${type} is not read by this vendor, ` +
  'which takes PDF and plain text';

/**
 * Recorded requests that are refused on the way to a protocol, by what the client is told and how often. All
 * of them hold something that nobody but the client's own vendor has or knows, or that the vendor has no
 * place for: content is refused, never left out (rule C-8). Addresses of media that a vendor does
 * not fetch are fetched by the gateway before it converts; here nothing fetches them.
 */
export const REFUSED: Readonly<Record<TextProtocol, Readonly<Record<TextProtocol, Counts>>>> = {
  chat: {
    chat: { 'file: cannot be named by an address here': 1, 'video: cannot be sent in Chat Completions': 1 },
    responses: {
      'audio: the Responses protocol has no place for it here': 3,
      'video: the Responses protocol has no place for it here': 1,
    },
    messages: {
      'audio: the vendor has no place for it': 3,
      'video: the vendor has no place for it': 1,
      [unread('wordprocessingml.document')]: 1,
    },
    gemini: {
      'image: this vendor fetches no addresses': 4,
      'file: this vendor fetches no addresses': 1,
      'video: this vendor fetches no addresses': 1,
      'file: application/vnd.openxmlformats-officedocument.wordprocessingml.document is not read by this vendor': 1,
    },
  },
  responses: {
    chat: {
      'input[N]: compaction is known to its own protocol only': 6,
      'input[N]: must be an object': 1,
      'input[N]: mcp_approval_request is known to its own protocol only': 3,
      'previous_response_id: the conversation it names is not known here': 4,
      'file: cannot be named by an address here': 2,
      'image: cannot be named by a file id here': 2,
      'background: answers cannot be fetched later': 3,
      'conversation: stored conversations are known to their own vendor only': 3,
    },
    responses: {
      'input[N]: must be an object': 1,
      'previous_response_id: the conversation it names is not known here': 4,
      'background: answers cannot be fetched later': 3,
      'conversation: stored conversations are known to their own vendor only': 3,
    },
    messages: {
      'background: answers cannot be fetched later': 3,
      'conversation: stored conversations are known to their own vendor only': 3,
      'file: an uploaded file is known to its own vendor only': 2,
      [unread('spreadsheetml.sheet')]: 1,
      'image: an uploaded file is known to its own vendor only': 2,
      'input[N]: must be an object': 1,
      'input[N]: only its own vendor can read it': 9,
      'previous_response_id: the conversation it names is not known here': 4,
    },
    gemini: {
      'input[N]: only its own vendor can read it': 9,
      'input[N]: must be an object': 1,
      'previous_response_id: the conversation it names is not known here': 4,
      'file: a file kept at another vendor cannot be sent': 2,
      'file: this vendor fetches no addresses': 2,
      'image: this vendor fetches no addresses': 5,
      'image: a file kept at another vendor cannot be sent': 1,
      'background: answers cannot be fetched later': 3,
      'conversation: stored conversations are known to their own vendor only': 3,
      'file: application/vnd.openxmlformats-officedocument.spreadsheetml.sheet is not read by this vendor': 1,
    },
  },
  messages: {
    chat: {
      'messages[N].content[N]: container_upload is known to its own protocol only': 5,
      'file: cannot be named by an address here': 2,
    },
    responses: { "messages[N].content[N]: 'container_upload' is known to its own vendor only": 5 },
    messages: {},
    gemini: {
      'messages[N].content[N]: only its own vendor can read it': 5,
      'file: this vendor fetches no addresses': 2,
      'image: this vendor fetches no addresses': 3,
    },
  },
  gemini: {
    chat: {
      'cachedContent: content kept at Google cannot be sent to another vendor': 3,
      'video: cannot be sent in Chat Completions': 5,
      'contents[N].parts[N].fileData: fileData is known to its own protocol only': 15,
      'contents[N].parts[N].functionResponse.parts[N].fileData: fileData is known to its own protocol only': 1,
      'contents[N].parts[N].functionCall.partialArgs: arguments in fragments cannot be sent to another vendor': 1,
      'audio: must be sent as bytes here': 1,
    },
    responses: {
      'cachedContent: content kept at Google cannot be sent to another vendor': 3,
      'video: the Responses protocol has no place for it here': 5,
      'audio: the Responses protocol has no place for it here': 9,
      "contents[N].parts[N].fileData: 'fileData' is known to its own vendor only": 15,
      "contents[N].parts[N].functionResponse.parts[N].fileData: 'fileData' is known to its own vendor only": 1,
      'contents[N].parts[N].functionCall.partialArgs: arguments in fragments cannot be sent to another vendor': 1,
    },
    messages: {
      'audio: the vendor has no place for it': 9,
      'cachedContent: content kept at Google cannot be sent to another vendor': 3,
      'contents[N].parts[N].fileData: only its own vendor can read it': 15,
      'contents[N].parts[N].functionCall.partialArgs: arguments in fragments cannot be sent to another vendor': 1,
      'contents[N].parts[N].functionResponse.parts[N].fileData: only its own vendor can read it': 1,
      'video: the vendor has no place for it': 5,
    },
    gemini: {
      'cachedContent: content kept at Google cannot be sent to another vendor': 3,
      'video: this vendor fetches no addresses': 5,
      'opaque: has no place in the result of a tool': 1,
      'contents[N].parts[N].functionCall.partialArgs: arguments in fragments cannot be sent to another vendor': 1,
      'image: this vendor fetches no addresses': 3,
      'audio: this vendor fetches no addresses': 1,
    },
  },
};
