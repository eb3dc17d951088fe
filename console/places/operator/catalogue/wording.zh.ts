import { count, credits, money } from '../../../parts/text/format.ts';

const UNITS: readonly (readonly [number, string])[] = [
  [86_400, '天'],
  [3_600, '小时'],
  [60, '分钟'],
];

export function span(seconds: number): string {
  const [size, word] = UNITS.find(([each]) => seconds >= each && seconds % each === 0) ?? [1, '秒'];
  return `${seconds / size} ${word}`;
}

const DIMENSIONS: Readonly<Record<string, string>> = {
  ...{ requests: '次调用', tokens: '个 token', images: '张图片', videos: '个视频' },
};
export const VERBS: Readonly<Record<string, string>> = {
  ...{ requests: '发起', tokens: '使用', images: '生成', videos: '生成', amount: '消费' },
};

export function measured(dimension: string, limit: string): string {
  return dimension === 'amount' ? money(limit) : `${credits(limit)} ${DIMENSIONS[dimension] ?? dimension}`;
}

interface LimitEffect {
  readonly limit: string;
  readonly seconds: number | null;
}

export const limitText = ({ limit, seconds }: LimitEffect, value: string | null): string => {
  if (value === null) return '不限';
  if (seconds === null) return `同时 ${count(value)} 次调用`;
  return `${span(seconds)}内 ${measured(limit, value)}`;
};

export const ENTITIES: Readonly<Record<string, string>> = {
  ...{ vendor: '厂商', credential: '凭据', model: '模型', route: '路由', policy: '策略', plan: '套餐' },
  ...{ node: '节点', announcement: '公告', account: '账户', settings: '设置' },
};
export const PRICES: Readonly<Record<string, string>> = {
  ...{ input: '输入', output: '输出', cache_input: '缓存读取', cache_output: '缓存输出' },
  ...{ cache_write: '缓存写入', image: '图片', video: '视频' },
};
const PER_MILLION = new Set(['输入', '输出', '缓存读取', '缓存输出', '缓存写入']);

export const priced = (price: string, amount: string | null) =>
  amount === null ? '无' : `${money(amount)}${PER_MILLION.has(price) ? '/M' : ' 每个'}`;
export const fieldList = (fields: readonly string[]) => (fields.length === 0 ? '' : `：${fields.join('、')}`);

export const RATES: Readonly<Record<string, string>> = {
  ...{ rate: '倍率', system_rate: '系统倍率', rate_multiplier: '倍率' },
  ...{ user_rate: '账户倍率', 'defaults.user_rate': '账户倍率' },
};
export const rated = (rate: string, value: string | null) =>
  value === null ? '无' : rate === 'rate_multiplier' ? `× ${value}` : `${value} %`;
