import type { Translation } from '../../texts/language.ts';
import type { en } from './shared.texts.en.ts';

export const zh: Translation<typeof en> = {
  shown: (from, to, total) => `第 ${from}–${to} 条，共 ${total} 条`,
  refused: '服务器拒绝了该操作。',
  noAnswer: '服务器没有应答，内容未丢失，请重试。',
  cancel: '取消',
  cannotRead: '无法读取此内容。',
  free: {
    title: '确定改为免费？',
    text: '以下价格将变为 0 或被移除，从下一个调用起按此计费。',
    action: '应用',
  },
};
