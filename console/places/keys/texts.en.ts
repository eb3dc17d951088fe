import { count } from '../../parts/text/format.ts';

interface Window {
  readonly dimension: 'requests' | 'tokens' | 'images' | 'videos' | 'amount';
  readonly seconds: number;
  readonly limit: string;
}

interface Words {
  readonly concurrency: number | null;
  readonly windows: readonly Window[];
}

function span(seconds: number): string {
  const known = { 1: 'second', 60: 'minute', 3600: 'hour', 86400: 'day', 604800: 'week' }[seconds];
  if (known !== undefined) return `a ${known}`.replace('a hour', 'an hour');
  if (seconds % 86_400 === 0) return `in ${seconds / 86_400} days`;
  return seconds % 3_600 === 0 ? `in ${seconds / 3_600} hours` : `in ${seconds} s`;
}

function inWords({ concurrency, windows }: Words): string {
  const limits = windows.map(({ dimension, seconds, limit }) =>
    dimension === 'amount'
      ? `¥${count(limit)} ${span(seconds)}`
      : `${count(limit)} ${dimension} ${span(seconds)}`,
  );
  const all = [...limits, ...(concurrency === null ? [] : [`${concurrency} at once`])];
  return all.length === 0 ? 'no limits' : all.join(', ');
}

export const en = {
  title: 'Keys',
  lead: ({ all, enabled }: { readonly all: number; readonly enabled: number }) =>
    `${all} ${all === 1 ? 'key' : 'keys'}, ${enabled} enabled`,
  newKey: 'New key',
  unread: 'The keys could not be read.',
  search: 'Name or prefix',
  spend: 'Value',
  days: (days: '7' | '30' | '90') => `${days} days`,
  columns: {
    name: 'Name',
    policy: 'Policy',
    calls: 'Calls',
    spend: 'Value',
    spendTitle: 'At your prices, whoever paid: calls that your plan covers count too.',
    used: 'Last used',
    expires: 'Expires',
    actions: 'Actions',
  },
  states: { enabled: 'enabled', disabled: 'disabled', expired: 'expired' },
  accountPolicy: 'of the account',
  notYet: 'not yet',
  more: (name: string) => `More for ${name}`,
  edit: 'Edit',
  itsCalls: 'Its calls',
  disable: 'Disable',
  enable: 'Enable',
  delete: 'Delete',
  deleted: (name: string) => `${name} is deleted. It works no more.`,
  notChanged: (name: string) => `${name} could not be changed.`,
  notMade: 'The key could not be made.',
  empty: {
    title: 'No keys yet',
    text: 'A key says who calls. Make one, paste a snippet, and its first call appears here.',
    notFound: 'No key has this name or prefix',
    all: 'Show all keys',
  },
  nameHelp: 'Where it is used: a program, a machine, a person.',
  policyHelp: 'The limits of the account hold; a policy can only be tighter.',
  policyInWords: inWords,
  expiries: { never: 'never', 30: 'in 30 days', 90: 'in 90 days', 365: 'in a year', date: 'on a day' },
  lastDay: 'Last day',
  cancel: 'Cancel',
  create: 'Make the key',
  save: 'Save',
  done: 'Done',
  stored: 'I have stored the key',
  ready: (name: string) => `${name} is ready`,
  shownOnce:
    'We keep only a hash. When you close this panel the key cannot be shown again; a lost key is deleted and made anew.',
  closeAsk: {
    title: 'Close without storing the key?',
    text: 'It cannot be shown again. A lost key is deleted and made anew.',
    close: 'Close',
    back: 'Back to the key',
  },
  mayCall: 'May call',
  everyModel: 'every model the account may call',
  useIt: 'Use it',
  filledIn: 'filled in, with the key, this once',
  prefixOnly: 'filled in; the key itself is not kept',
  waiting: 'Waiting for the first call of this key…',
  arrived: (model: string, status: number, amount: string) => `${model}, ${status}, ${amount} Credits`,
  receipt: 'Receipt',
  test: 'Test it',
  testFailed: (status: number, message: string) =>
    status === 0 ? 'The gateway does not answer at this address.' : `${status}: ${message}`,
  testNeedsKey:
    'A test needs the key itself, and only its hash is kept. Call with it from where you stored it; the call appears at once.',
  keyNamed: (name: string) => `Key ${name}`,
  prefix: 'Begins with',
  state: 'State',
  created: 'Made',
  mayBeUsed: 'May be used',
};
