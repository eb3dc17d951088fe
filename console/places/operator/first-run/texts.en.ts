import type { ReactNode } from 'react';

export const en = {
  operator: {
    title: 'Operator account',
    text: (email: ReactNode): ReactNode => [email, ' runs this server. The set-up token is spent.'],
  },
  vendor: {
    title: 'Vendor key, tested',
    another: 'Add another',
    known: 'This server has a vendor key.',
    stored: (name: ReactNode): ReactNode => [name, ' is stored encrypted.'],
    vendor: 'Vendor',
    own: 'Another, with the protocol of OpenAI',
    address: 'Address',
    addressHelp: 'Change it for a proxy or a server of your own.',
    cloudAddressHelp: 'Empty: the usual one of the cloud.',
    key: 'Key',
    whereKeys: 'Where keys are made',
    model: 'Model to test with',
    modelHelp: 'One small call, by the name that the vendor uses.',
    submit: 'Test and store',
    failed: 'The key could not be stored.',
    refused: (status: number | null) =>
      status === null ? 'No answer came from this address.' : `The vendor answered ${status}.`,
    checks: {
      label: 'What the test has shown',
      address: { good: 'Address answers', bad: 'Address does not answer' },
      key: { good: 'Key accepted', bad: 'Key not accepted' },
      call: { good: 'A call succeeded', bad: 'The call failed' },
    },
  },
  models: {
    title: 'Models to offer',
    later: 'Which models, and at what price.',
    text: 'Prices are in ¥ for a million tokens. A rate of 1 sells at the list price; users pay list price × rate.',
    dollars: (rate: string) => `Prices in dollars were converted at ¥${rate}.`,
    picked: (picked: number, all: number) => `${picked} of ${all} picked`,
    columns: { model: 'Model', input: 'Input', output: 'Output', rate: 'Your rate' },
    fields: {
      input: (model: string) => `Input price of ${model}`,
      output: (model: string) => `Output price of ${model}`,
      image: (model: string) => `Price of a picture of ${model}`,
      video: (model: string) => `Price of a video of ${model}`,
      rate: (model: string) => `Rate of ${model}`,
    },
    perItem: { image: 'for a picture', video: 'for a video' },
    other: 'Another model of this vendor',
    add: 'Add it',
    listed: (count: number) => (count === 1 ? 'It lists one.' : `It lists ${count}.`),
    offer: (count: number) => (count === 1 ? 'Offer one model' : `Offer ${count} models`),
    incomplete: 'Every picked model needs its prices.',
    failed: 'The models could not be offered.',
    done: (model: ReactNode): ReactNode => [model, ' can be called.'],
  },
  call: {
    title: 'First call',
    later: 'With a key made for it. Its receipt closes the set-up.',
    text: (model: string, credits: string) =>
      `Says hello to ${model}, with a key that ends in an hour. Your account gets ${credits} Credits if it has none.`,
    make: 'Make the first call',
    arrived: 'The first call has its receipt',
    failed: (status: number) =>
      status === 0 ? 'The call could not be made.' : `The call ended with ${status}.`,
    playground: 'Open the playground',
    overview: "Operator's overview",
  },
  code: { title: 'As code', text: 'The same for a machine without a browser.' },
};
