import type { Protocol } from '../kernel/protocol-name.ts';
import { chatCompletions } from './chat/dialect.ts';
import type { Dialect } from './dialect.ts';
import { embeddings } from './embeddings/dialect.ts';
import { generateContent } from './gemini/dialect.ts';
import { geminiEmbeddings } from './gemini-embeddings/dialect.ts';
import { images } from './images/dialect.ts';
import { messages } from './messages/dialect.ts';
import { responses } from './responses/dialect.ts';

const DIALECTS: Readonly<Record<Protocol, Dialect>> = {
  chat: chatCompletions,
  responses,
  messages,
  gemini: generateContent,
  images,
  embeddings,
  'gemini-embeddings': geminiEmbeddings,
};

export function getDialect(protocol: Protocol): Dialect {
  return DIALECTS[protocol];
}
