import { chatCompletions } from '../chat/dialect.ts';
import type { Dialect } from '../dialect.ts';
import { countTexts } from '../meter/input.ts';
import { compileWords } from '../meter/words.ts';
import { COMPLETIONS_MEMBERS, readCompletionsRequest } from './request.ts';

const WORDS = compileWords({ text: ['prompt', 'suffix'] });

/** The older protocol of OpenAI continues a prompt. Its answers and streams are read like those of chats. */
export const completions: Dialect = {
  ...chatCompletions,
  protocol: 'completions',
  members: COMPLETIONS_MEMBERS,
  readRequest: readCompletionsRequest,
  countInput: ({ body }, facts) => countTexts(body, WORDS, facts),
};
