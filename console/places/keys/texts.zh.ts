import { count } from '../../parts/text/format.ts';
import type { Translation } from '../../texts/language.ts';
import type { en } from './texts.en.ts';

const DIMENSIONS = { requests: '次请求', tokens: '个 Token', images: '张图片', videos: '个视频' };

function span(seconds: number): string {
  const known = { 1: '每秒', 60: '每分钟', 3600: '每小时', 86400: '每天', 604800: '每周' }[seconds];
  if (known !== undefined) return known;
  if (seconds % 86_400 === 0) return `每 ${seconds / 86_400} 天`;
  return seconds % 3_600 === 0 ? `每 ${seconds / 3_600} 小时` : `每 ${seconds} 秒`;
}

export const zh: Translation<typeof en> = {
  title: '密钥',
  lead: ({ all, enabled }) => `共 ${all} 个，已启用 ${enabled} 个`,
  newKey: '新建密钥',
  unread: '无法读取密钥。',
  search: '名称或前缀',
  spend: '用量金额',
  days: (days) => `${days} 天`,
  columns: {
    name: '名称',
    policy: '策略',
    calls: '调用',
    spend: '用量金额',
    spendTitle: '按您的价格计算，不论由谁支付：套餐覆盖的调用也计入。',
    used: '最近使用',
    expires: '到期',
    actions: '操作',
  },
  states: { enabled: '已启用', disabled: '已停用', expired: '已过期' },
  accountPolicy: '跟随账户',
  notYet: '尚未使用',
  more: (name) => `${name} 的更多操作`,
  edit: '编辑',
  itsCalls: '查看调用',
  disable: '停用',
  enable: '启用',
  delete: '删除',
  deleted: (name) => `${name} 已删除，不再可用。`,
  notChanged: (name) => `无法修改 ${name}。`,
  notMade: '无法创建密钥。',
  empty: {
    title: '还没有密钥',
    text: '密钥用于识别调用方。创建一个，粘贴代码片段，首次调用会出现在这里。',
    notFound: '没有匹配的名称或前缀',
    all: '显示全部密钥',
  },
  nameHelp: '用在哪里：程序、机器或人员。',
  policyHelp: '账户的限制始终有效，策略只会更严格。',
  policyInWords: ({ concurrency, windows }) => {
    const limits = windows.map(({ dimension, seconds, limit }) =>
      dimension === 'amount'
        ? `${span(seconds)} ¥${count(limit)}`
        : `${span(seconds)} ${count(limit)} ${DIMENSIONS[dimension]}`,
    );
    const all = [...limits, ...(concurrency === null ? [] : [`并发 ${concurrency}`])];
    return all.length === 0 ? '无限制' : all.join('，');
  },
  expiries: { never: '永不', 30: '30 天后', 90: '90 天后', 365: '一年后', date: '指定日期' },
  lastDay: '最后一天',
  cancel: '取消',
  create: '创建密钥',
  save: '保存',
  done: '完成',
  stored: '我已保存密钥',
  ready: (name) => `${name} 已创建`,
  shownOnce: '我们只保存哈希。关闭此面板后密钥无法再次显示；遗失的密钥请删除后重新创建。',
  closeAsk: {
    title: '尚未保存密钥，确定关闭？',
    text: '密钥无法再次显示。遗失的密钥请删除后重新创建。',
    close: '关闭',
    back: '返回',
  },
  mayCall: '可调用',
  everyModel: '账户可调用的所有模型',
  useIt: '使用方法',
  filledIn: '已填好，仅此一次包含密钥',
  prefixOnly: '已填好，密钥本身不保存',
  waiting: '正在等待此密钥的首次调用…',
  arrived: (model, status, amount) => `${model}，${status}，${amount} Credits`,
  receipt: '账单',
  test: '测试',
  testFailed: (status, message) => (status === 0 ? '此地址的网关没有响应。' : `${status}：${message}`),
  testNeedsKey: '测试需要密钥本身，而我们只保存哈希。请在您保存密钥的地方调用，调用会立即显示。',
  keyNamed: (name) => `密钥 ${name}`,
  prefix: '前缀',
  state: '状态',
  created: '创建时间',
  mayBeUsed: '允许使用',
};
