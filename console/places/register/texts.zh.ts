import type { ApiError } from '../../api/api.ts';
import type { Translation } from '../../texts/language.ts';
import type { en } from './texts.en.ts';

function refused({ status }: Pick<ApiError, 'status' | 'code'>): string {
  if (status === 0) return '服务器没有响应，请稍后再试。';
  if (status === 429) return '尝试次数过多，稍后会自动恢复。';
  return '服务器暂时无法创建账户，请稍后再试。';
}

export const zh: Translation<typeof en> = {
  title: '注册账户',
  lead: '创建密钥并完成首次调用，大约两分钟。',
  closed: '注册已关闭，请联系此服务器的运营者开通账户。',
  unread: '无法读取此服务器的设置。',
  email: '邮箱',
  password: '密码',
  rule: (min) => `至少 ${min} 个字符。几个词语比符号更容易记住。`,
  submit: '注册',
  wait: (left) => `${left} 后可重试`,
  known: '已有账户？',
  signIn: '登录',
  taken: '此邮箱已有账户。',
  noAddress: '邮箱格式不正确。',
  refused: {
    register: (error) => (error.code === 1003 ? '注册刚刚关闭，请联系运营者。' : refused(error)),
    createFirstOperator: (error) =>
      error.code === 1003 ? '令牌错误、已使用或已过期。请重启服务器以获取新令牌。' : refused(error),
  },
};
