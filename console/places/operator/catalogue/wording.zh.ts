import { count, credits, money } from '../../../parts/text/format.ts';
import type { Translation } from '../../../texts/language.ts';
import type { ROUTING_TEXTS as EN_ROUTING_TEXTS, Routing } from './wording.en.ts';

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

const SHARED: Readonly<Record<Routing, string>> = {
  weight: '任一就绪时按权重分配',
  latency: '就绪者中最快的优先',
  cost: '就绪者中最便宜的优先',
  cache: '同一会话固定使用其中就绪的一个',
};

export const ROUTING_TEXTS: Translation<typeof EN_ROUTING_TEXTS> = {
  order: (at, routes, routing) => {
    if (at > 0) return '仅当以上都无法接受调用时';
    return routes > 1 ? SHARED[routing] : '就绪时承接所有调用';
  },
  routing: '同一优先级的路由之间',
  routings: { weight: '按权重', latency: '最快', cost: '最便宜', cache: '提示词已缓存处' },
  routingHelp: {
    weight: '按权重比例随机选择。',
    latency: '首个 token 的实测时间最短者优先；快慢相近的按权重分配。',
    cost: '对调用者收费最低者优先；相同的按权重分配。',
    cache: '同一会话固定使用一个凭据，以便厂商命中提示词缓存。',
  },
};
