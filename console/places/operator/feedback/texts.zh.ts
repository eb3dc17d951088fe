import type { Translation } from '../../../texts/language.ts';
import type { en } from './texts.en.ts';

export const zh: Translation<typeof en> = {
  title: '反馈',
  waiting: (text, count) => (count === 0 ? '无未处理' : `${text} 条未处理`),
  status: '状态',
  states: { open: '未处理', done: '已处理', all: '全部' },
  anonymous: '未登录用户',
  accountNumber: (id) => `账户 ${id}`,
  contact: '联系方式',
  answer: '回复',
  changeAnswer: '修改回复',
  ourAnswer: '我们的回复',
  yourAnswer: '回复内容',
  answerHelp: (email) => `${email} 会在控制台看到回复，该反馈随即标记为已处理。`,
  send: '发送回复',
  takeBack: '撤回回复',
  cancel: '取消',
  answered: '已回复，并标记为已处理',
  takenBack: '回复已撤回',
  markDone: '标记为已处理',
  reopen: '重新打开',
  moved: { done: '已标记为已处理', open: '已重新打开' },
  empty: { open: '没有未处理的反馈', done: '尚无已处理的反馈', all: '尚无反馈' },
  emptyText: '用户在控制台填写或通过 API 发送的内容会显示在这里，最新的在最前。',
};
