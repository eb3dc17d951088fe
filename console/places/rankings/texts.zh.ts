import type { Translation } from '../../texts/language.ts';
import type { en } from './texts.en.ts';

export const zh: Translation<typeof en> = {
  title: '排行',
  lead: '根据本网关的实际调用统计。',
  period: '时段',
  periods: { day: '一天', week: '一周', month: '一月' },
  popular: '最常用',
  fast: '最快',
  measured: '流式调用',
  order: '排序',
  orders: { calls: '调用', tokens: 'Token', users: '用户' },
  model: '模型',
  speed: '输出速度',
  perSecond: (figure) => `${figure} Token/秒`,
  first: '首 Token',
  samples: '调用',
  none: '该时段没有调用。',
  unread: '无法读取排行。',
};
