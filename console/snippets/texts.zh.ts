import type { Translation } from '../texts/language.ts';
import type { en } from './texts.en.ts';

export const zh: Translation<typeof en> = {
  clients: '客户端',
  languages: '语言',
  model: '模型',
  terminal: '终端',
  kinds: { terminal: '终端', both: 'JS、Python', javascript: 'JS' },
};
