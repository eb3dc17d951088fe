import type { Protocol } from '../kernel/protocol-name.ts';
import { chatCompletions } from './chat/dialect.ts';
import { completions } from './completions/dialect.ts';
import type { Dialect } from './dialect.ts';
import { generateContent } from './gemini/dialect.ts';
import { geminiEmbeddings } from './gemini-embeddings/dialect.ts';
import { images } from './images/dialect.ts';
import { embeddings } from './input-only/embeddings.ts';
import { moderations } from './input-only/moderations.ts';
import { rerank } from './input-only/rerank.ts';
import { messages } from './messages/dialect.ts';
import { responses } from './responses/dialect.ts';
import { speech } from './speech/dialect.ts';
import { transcriptions } from './transcriptions/dialect.ts';
import { videos } from './videos/dialect.ts';

const DIALECTS: Readonly<Record<Protocol, Dialect>> = {
  chat: chatCompletions,
  responses,
  messages,
  gemini: generateContent,
  images,
  embeddings,
  'gemini-embeddings': geminiEmbeddings,
  moderations,
  rerank,
  completions,
  speech,
  transcriptions,
  videos,
};

export function getDialect(protocol: Protocol): Dialect {
  return DIALECTS[protocol];
}
