import type { ReactNode } from 'react';

export const en = {
  title: 'Your first call',
  lead: 'about two minutes',
  address: {
    title: 'Base address',
    openAi: 'OpenAI style',
    others: 'Anthropic and Gemini style',
    copyWith: 'Copy the address with /v1',
    copyWithout: 'Copy the address without /v1',
  },
  key: {
    title: 'A key',
    text: 'It says who calls. It is shown once, here.',
    make: 'Make a key',
    makeAnother: 'Make another',
    all: 'All keys',
    ready: (name: string) => `Key “${name}” is ready`,
    known: (name: ReactNode, prefix: ReactNode, made: ReactNode): ReactNode => [
      ...[name, ' begins with ', prefix, ', made ', made, '. '],
    ],
    failed: 'The key could not be made.',
  },
  call: {
    title: 'Call a model',
    text: 'Pick what you have. The snippet is filled in; the key comes from your environment.',
    filled: 'Pick what you have. The snippet is filled in, with your key as long as this page is open.',
    model: 'Model',
    noModel: 'No model can be called yet. Ask your operator to offer one.',
  },
  first: {
    waiting: 'Waiting for your first call…',
    listening: (name: ReactNode): ReactNode => ['listening for key ', name],
    text: 'Its receipt appears here the moment it ends.',
    arrived: 'Your call has arrived',
    newest: 'Your newest call',
    refused: 'Your call was refused',
    refusedText: 'Nothing was charged. Open the call to see why and what helps, then try again.',
    failed: 'Your call was not answered whole',
    failedText: 'Open the call to see what happened, then try again.',
    open: 'Open the call',
    noReceipt: 'This call has no receipt: nothing was charged.',
  },
  help: {
    title: 'Nothing happens?',
    bearer: 'The key went into x-api-key: send it as a bearer token.',
    key: 'The key is unknown, disabled or expired: copy it whole.',
    path: 'The address has a doubled or missing /v1.',
    pay: 'Nobody can pay:',
    wallet: 'exchange Credits',
  },
  other: {
    title: 'Or without a terminal',
    playground: 'Playground',
    playgroundText: 'Two models side by side, with the cost as it runs',
    models: 'Models and your prices',
    modelsText: (all: number, callable: number) =>
      `${all} ${all === 1 ? 'model' : 'models'}, ${callable} of them callable for you`,
    credentials: 'Bring a vendor key',
    credentialsText: 'Calls with it cost nothing here',
    credits: (amount: string) => `${amount} Credits`,
    creditsAtFirst: (amount: string) => `${amount} Credits to begin with`,
    noCredits: 'No Credits yet',
    covered: (plan: string, model: string) => `Your plan ${plan} covers ${model}: the call takes no Credits.`,
    hello: (model: string, amount: string) =>
      amount === '0'
        ? `A “hello” with ${model} comes to less than one Credit: it takes none.`
        : `A “hello” with ${model} costs about ${amount} Credits.`,
    wallet: 'Exchange Credits',
  },
};
