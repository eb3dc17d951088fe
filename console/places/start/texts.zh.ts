import type { Translation } from '../../texts/language.ts';
import type { en } from './texts.en.ts';

export const zh: Translation<typeof en> = {
  title: '首次调用',
  lead: '大约两分钟',
  address: {
    title: '接入地址',
    openAi: 'OpenAI 风格',
    others: 'Anthropic 与 Gemini 风格',
    copyWith: '复制带 /v1 的地址',
    copyWithout: '复制不带 /v1 的地址',
  },
  key: {
    title: '密钥',
    text: '用于识别调用方，仅在此处显示一次。',
    make: '创建密钥',
    makeAnother: '再创建一个',
    all: '全部密钥',
    ready: (name) => `密钥“${name}”已创建`,
    known: (name, prefix, made) => [name, ' 以 ', prefix, ' 开头，创建于 ', made, '。'],
    failed: '无法创建密钥。',
  },
  call: {
    title: '调用模型',
    text: '选择您使用的客户端。代码片段已填好，密钥取自环境变量。',
    filled: '选择您使用的客户端。代码片段已填好，此页面打开期间包含您的密钥。',
    model: '模型',
    noModel: '暂无可调用的模型，请联系运营者。',
  },
  first: {
    waiting: '正在等待您的首次调用…',
    listening: (name) => ['正在监听密钥 ', name],
    text: '调用结束后，账单会立即显示在这里。',
    arrived: '已收到您的调用',
    newest: '最近一次调用',
    refused: '您的调用被拒绝',
    refusedText: '未产生费用。打开该调用可查看原因和解决办法，然后重试。',
    failed: '您的调用未能完整应答',
    failedText: '打开该调用可查看原因，然后重试。',
    open: '查看调用',
    noReceipt: '此调用没有账单：未产生费用。',
  },
  help: {
    title: '没有反应？',
    bearer: '密钥放在了 x-api-key 中：请改用 Bearer 令牌。',
    key: '密钥不存在、已停用或已过期：请完整复制。',
    path: '地址中的 /v1 重复或缺失。',
    pay: '没有可用的支付方式：',
    wallet: '兑换 Credits',
  },
  other: {
    title: '或者不使用终端',
    playground: '试验场',
    playgroundText: '两个模型并排比较，费用实时显示',
    models: '模型与您的价格',
    modelsText: (all, callable) => `共 ${all} 个模型，您可调用 ${callable} 个`,
    credentials: '使用自有厂商密钥',
    credentialsText: '用它调用不在此处计费',
    credits: (amount) => `可用 Credits ${amount}`,
    creditsAtFirst: (amount) => `初始 Credits ${amount}`,
    noCredits: '暂无 Credits',
    covered: (plan, model) => `您的套餐 ${plan} 覆盖 ${model}：调用不消耗 Credits。`,
    hello: (model, amount) =>
      amount === '0'
        ? `用 ${model} 说一句“你好”不足 1 Credits，不扣 Credits。`
        : `用 ${model} 说一句“你好”约需 ${amount} Credits。`,
    wallet: '兑换 Credits',
  },
};
