import type { Translation } from '../../texts/language.ts';
import type { en } from './texts.en.ts';

export const zh: Translation<typeof en> = {
  title: '登录',
  lead: '一个地址，一个密钥，所有模型。',
  email: '邮箱',
  password: '密码',
  submit: '登录',
  wrong: '邮箱或密码不正确。',
  wait: (left) => `${left} 后可重试`,
  refused: ({ status, code }) => {
    if (status === 0) return '服务器没有响应，请稍后再试。';
    if (status === 429) return '尝试次数过多，稍后会自动恢复。';
    if (code === 1003) return '此账户已停用，请联系运营者。';
    if (code === 1001) return '邮箱格式不正确。';
    return '服务器暂时无法登录，请稍后再试。';
  },
  forgot: '忘记密码？请联系运营者重置。',
  forgotLink: '忘记密码？',
  newHere: '还没有账户？',
  register: '注册账户',
  closed: '账户由运营者开通。',
  noOperator: '此服务器还没有运营者。',
  setUp: '开始设置',
  models: '模型与价格',
  status: '运行状态',
  apiReference: 'API 文档',
  receipt: {
    label: '账单示例',
    caption: '每次调用都有账单，用纸笔即可核对。',
    complete: '200 完成',
    way: 'Chat → Responses，2.1 s',
    input: '输入',
    output: '输出',
    listAmount: '标价金额',
    rates: '× 0.95 平台 × 0.90 您的倍率',
    amount: '金额',
    paidWithCredits: '以 Credits 支付',
  },
};
