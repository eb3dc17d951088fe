import type { Translation } from '../../texts/language.ts';
import type { en } from './texts.en.ts';

export const zh: Translation<typeof en> = {
  title: '公告',
  lead: '本网关运营者发布的消息。',
  none: '暂无公告',
  noneText: '价格、模型和限额的变化会在这里公布。',
  unread: '无法读取公告。',
};
