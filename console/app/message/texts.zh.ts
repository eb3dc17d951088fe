import type { Translation } from '../../texts/language.ts';
import type { en } from './texts.en.ts';

export const zh: Translation<typeof en> = {
  label: '给运营者的留言',
  labelCall: '出了什么问题',
  help: '回复会显示在“设置”的“留言”中。',
  helpCall: '请求 ID 会一并发送。回复会显示在“设置”的“留言”中。',
  placeholderCall: '您期望什么，实际得到什么',
  send: '发送',
  cancel: '取消',
  sent: '已发送。回复会显示在“设置”的“留言”中。',
  aboutCall: (text, id) => `${text}\n\n调用：${id}`,
  tooSoon: '每分钟只能发送一条，请稍后再试。',
  failed: '无法发送，请重试。',
};
