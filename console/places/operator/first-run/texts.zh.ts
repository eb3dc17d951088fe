import type { Translation } from '../../../texts/language.ts';
import type { en } from './texts.en.ts';

export const zh: Translation<typeof en> = {
  operator: { title: '运营者账户', text: (email) => [email, ' 管理此服务器。设置令牌已使用。'] },
  vendor: {
    title: '厂商密钥（已测试）',
    another: '再添加一个',
    known: '此服务器已有厂商密钥。',
    stored: (name) => [name, ' 已加密保存。'],
    vendor: '厂商',
    own: '其他（兼容 OpenAI 协议）',
    address: '地址',
    addressHelp: '使用代理或自有服务器时请修改。',
    key: '密钥',
    whereKeys: '在哪里创建密钥',
    model: '用于测试的模型',
    modelHelp: '一次很小的调用，使用厂商的模型名称。',
    submit: '测试并保存',
    failed: '无法保存密钥。',
    refused: (status) => (status === null ? '此地址没有响应。' : `厂商返回 ${status}。`),
    checks: {
      label: '测试结果',
      address: { good: '地址有响应', bad: '地址无响应' },
      key: { good: '密钥有效', bad: '密钥无效' },
      call: { good: '调用成功', bad: '调用失败' },
    },
  },
  models: {
    title: '要提供的模型',
    later: '提供哪些模型，以什么价格。',
    text: '价格单位为 ¥/百万 token。倍率 1 即按标价出售；用户支付标价 × 倍率。',
    picked: (picked, all) => `已选 ${picked} / ${all}`,
    columns: { model: '模型', input: '输入', output: '输出', rate: '倍率' },
    fields: {
      input: (model) => `${model} 的输入价格`,
      output: (model) => `${model} 的输出价格`,
      image: (model) => `${model} 的图片价格`,
      rate: (model) => `${model} 的倍率`,
    },
    perPicture: '每张图片',
    offer: (count) => `提供 ${count} 个模型`,
    incomplete: '所选模型都需要填写价格。',
    failed: '无法提供这些模型。',
    done: (model) => [model, ' 可以调用了。'],
  },
  call: {
    title: '首次调用',
    later: '使用为其创建的密钥，收到账单即完成设置。',
    text: (model, credits) =>
      `使用一小时后到期的密钥向 ${model} 问好。如果您的账户没有 Credits，将获得 ${credits} Credits。`,
    make: '发起首次调用',
    arrived: '首次调用已有账单',
    failed: (status) => (status === 0 ? '无法发起调用。' : `调用返回 ${status}。`),
    playground: '打开试验场',
    overview: '运营概览',
  },
  code: { title: '代码形式', text: '适用于没有浏览器的机器。' },
};
