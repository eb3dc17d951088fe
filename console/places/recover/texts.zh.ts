import type { Translation } from '../../texts/language.ts';
import type { en } from './texts.en.ts';

export const zh: Translation<typeof en> = {
  forgot: {
    title: '忘记密码？',
    lead: '请输入账户的邮箱，我们会把设置新密码的链接发到该邮箱。',
    noMail: '此服务器不发送邮件，请联系运营者重置密码。',
    submit: '发送链接',
    again: '再次发送',
    sent: (email) =>
      `如果 ${email} 在此有账户，链接已在路上。链接一小时内有效，只能使用一次。也请查看垃圾邮件。`,
  },
  reset: {
    title: '设置新密码',
    lead: '会结束账户的所有会话，密钥不受影响。',
    password: '新密码',
    submit: '设置密码',
    doneTitle: '密码已设置',
    done: (sessions) => (sessions === 0 ? '请用新密码登录。' : `已结束 ${sessions} 个会话，请用新密码登录。`),
    spentTitle: '此链接已失效',
    spent: '链接一小时内有效，只能使用一次，新链接会取代旧链接。',
    another: '获取新链接',
  },
  verify: {
    title: '确认邮箱',
    lead: '确认后，账户的提醒和通知会发到此邮箱。',
    submit: '确认此邮箱',
    doneTitle: '邮箱已确认',
    done: '可在控制台选择接收哪些提醒。',
    spentTitle: '此链接已失效',
    spent: '链接 24 小时内有效，只能使用一次。如果您之前打开过，邮箱已经确认。',
    notifications: '前往通知',
  },
  email: '邮箱',
  noAddress: '邮箱格式不正确。',
  rule: (min) => `至少 ${min} 个字符。几个词语比符号更容易记住。`,
  signIn: '登录',
  known: '想起来了？',
  wait: (left) => `${left} 后可重试`,
  refused: ({ status, code }) => {
    if (status === 0) return '服务器没有响应，请稍后再试。';
    if (status === 429) return '尝试次数过多，稍后会自动恢复。';
    if (code === 1003) return '此服务器不发送邮件，请联系运营者。';
    return '服务器暂时无法处理，请稍后再试。';
  },
};
