import type { Translation } from '../../../texts/language.ts';
import type { en } from './texts.en.ts';

export const zh: Translation<typeof en> = {
  title: '认证审核',
  waiting: (text, count) => (count === 0 ? '无待审核' : `${text} 个待审核`),
  name: '名称',
  kind: '类型',
  kinds: { personal: '个人', enterprise: '企业' },
  account: '账户',
  document: '证件号',
  contact: '联系方式',
  status: '状态',
  states: { pending: '待审核', approved: '已通过', refused: '已拒绝', all: '全部' },
  since: '提交时间',
  decided: '审核时间',
  reason: '理由',
  reasonHelp: '用户可见。拒绝时必须填写。',
  reasonMissing: '请说明原因，以便用户改正。',
  decision: '审核',
  approve: '通过',
  refuse: '拒绝',
  follows: {
    personal: '通过后，要求个人认证的模型立即可以调用。',
    enterprise: '通过后，要求企业认证的模型立即可以调用。',
  },
  application: '认证申请',
  gone: '该申请不在最近的申请中。',
  empty: {
    pending: '没有待审核的申请',
    approved: '尚无通过的申请',
    refused: '没有被拒绝的申请',
    all: '尚无申请',
  },
  emptyText: '用户提交认证申请后，会显示在这里和侧边导航中。',
};
