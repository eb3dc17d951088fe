import type { MessageTexts } from './message-texts.ts';

export const zh: MessageTexts = {
  open: '打开控制台',
  verify: '确认此邮箱',
  reset: '设置新密码',
  footer: (publicUrl) => `由 Tollgate 发送：${publicUrl}`,
  test: {
    title: '渠道测试',
    lines: ['这条消息由测试按钮发出。该渠道的提醒会送到这里。'],
  },
  kinds: {
    'route-down': {
      raised: ({ vendor, model, route, nodes }) => ({
        title: `${vendor} 的 ${model} 出现故障`,
        lines: [
          `供应商 ${vendor} 上模型 ${model} 的路由 ${route} 持续失败，已被暂时停用。`,
          `报告节点：${nodes}。该模型如有其他路由，将由它们继续服务。`,
        ],
      }),
      cleared: ({ vendor, model, route }) => ({
        title: `${vendor} 的 ${model} 已恢复`,
        lines: [`供应商 ${vendor} 上模型 ${model} 的路由 ${route} 已恢复使用。`],
      }),
    },
    'credential-refused': {
      raised: ({ vendor, credential, nodes }) => ({
        title: `${vendor} 拒绝了凭证 ${credential}`,
        lines: [
          `使用凭证 ${credential} 的调用被供应商以 401 或 403 拒绝。报告节点：${nodes}。`,
          '请检查该密钥以及供应商处的账户。',
        ],
      }),
      cleared: ({ vendor, credential }) => ({
        title: `${vendor} 不再拒绝凭证 ${credential}`,
        lines: [`十分钟内没有使用凭证 ${credential} 的调用被拒绝。`],
      }),
    },
    'settling-lags': {
      raised: ({ node, calls }) => ({
        title: `节点 ${node} 结算滞后`,
        lines: [`节点 ${node} 上有 ${calls} 个已结束的调用等待结算。它们已安全写入日志。`],
      }),
      cleared: ({ node }) => ({
        title: `节点 ${node} 结算已跟上`,
        lines: [`节点 ${node} 的调用结束后即时结算。`],
      }),
    },
    'disk-nearly-full': {
      raised: ({ node, free }) => ({
        title: `节点 ${node} 磁盘将满`,
        lines: [
          `节点 ${node} 的数据目录所在磁盘仅剩 ${free} %。`,
          '磁盘写满后日志无法写入，调用将无法服务。',
        ],
      }),
      cleared: ({ node }) => ({
        title: `节点 ${node} 磁盘空间已恢复`,
        lines: [`节点 ${node} 的数据目录已有足够空间。`],
      }),
    },
    'doctor-finding': {
      raised: ({ findings, first }) => ({
        title: `账本检查发现问题：${findings}`,
        lines: [`每日账本检查发现：${first}`, '运行 "tollgate doctor" 查看全部内容。'],
      }),
      cleared: () => ({ title: '账本正常', lines: ['每日账本检查未发现问题。'] }),
    },
    'credits-low': {
      raised: ({ credits, threshold }) => ({
        title: `Credits 不足：${credits}`,
        lines: [`账户可用 ${credits} Credits，低于 ${threshold}。`],
      }),
    },
    'cap-near': {
      raised: ({ spent, cap }) => ({
        title: '本月消费即将达到上限',
        lines: [`本月已消费 ¥${spent}，上限 ¥${cap}，已达 80 % 以上。`],
      }),
    },
    'cap-reached': {
      raised: ({ spent, cap }) => ({
        title: '本月消费已达上限',
        lines: [`本月已消费 ¥${spent}，上限 ¥${cap}。提高上限之前，调用会被拒绝。`],
      }),
    },
    'key-expiring': {
      raised: ({ name, expires_at: at }) => ({
        title: `密钥 ${name} 即将过期`,
        lines: [`API 密钥 ${name} 将于 ${at} 过期，之后使用它的调用会被拒绝。`],
      }),
    },
    'limit-hit': {
      raised: ({ limit, scope, value }) => ({
        title: `调用触发限制：${limit}`,
        lines: [`过去一小时内，${limit} 限制 ${value}（${scope}）拒绝了调用。`],
      }),
    },
    'verify-address': {
      raised: ({ email }) => ({
        title: '确认您的邮箱',
        lines: [
          `打开链接以确认 ${email} 是您的邮箱。链接 24 小时内有效，只能使用一次。`,
          '如果您没有在此注册账户，请忽略本邮件。',
        ],
      }),
    },
    'reset-password': {
      raised: ({ email }) => ({
        title: '设置新密码',
        lines: [
          `打开链接为 ${email} 设置新密码。链接一小时内有效，只能使用一次。`,
          '如果不是您本人申请，请忽略本邮件，密码不会改变。',
        ],
      }),
    },
    'password-changed': {
      raised: ({ at, address }) => ({
        title: '您的密码已更改',
        lines: [
          `您的账户密码于 ${at} 从 ${address} 更改，其他会话均已结束。`,
          '如果不是您本人操作，请立即重新设置密码并联系运营方。',
        ],
      }),
    },
    'new-sign-in': {
      raised: ({ at, address, user_agent: agent }) => ({
        title: '新地点登录',
        lines: [
          `您的账户于 ${at} 从 ${address} 登录，客户端：${agent}。`,
          '如果不是您本人操作，请修改密码并结束其他会话。',
        ],
      }),
    },
  },
};
