import type { ReactNode } from 'react';

/** What a condition is about, by the names of the API. */
type Details = Readonly<Record<string, string>>;

export const en = {
  title: 'Alerts',
  holds: (count: number) => (count === 1 ? 'one condition holds' : `${count} conditions hold`),
  allWell: 'all is well',
  noMail: (settings: ReactNode): ReactNode => [
    'This server sends no e-mail; webhooks work. Set ',
    settings,
    ' and start it again.',
  ],
  and: 'and',
  conditions: 'Conditions',
  conditionsNote: 'looked at once a minute, the ledger once a day',
  condition: 'Condition',
  now: 'Now',
  told: 'Told to',
  nobody: 'nobody',
  channelsTold: (count: number) => (count === 1 ? '1 channel' : `${count} channels`),
  fine: 'all well',
  since: 'since',
  look: 'look at it',
  more: (count: number) => `and ${count} more`,
  /** One sentence for each condition that holds. */
  happens: {
    'route-down': ({ vendor, model, route, nodes }: Details) =>
      `${vendor} fails for ${model} (route ${route}, seen by ${nodes})`,
    'credential-refused': ({ vendor, credential, nodes }: Details) =>
      `${vendor} refuses credential ${credential} (seen by ${nodes})`,
    'settling-lags': ({ node, calls }: Details) => `${calls} ended calls wait on ${node}`,
    'disk-nearly-full': ({ node, free }: Details) => `${free} % of the disk are left on ${node}`,
    'doctor-finding': ({ findings, first }: Details) => `${findings} findings, the first: ${first}`,
  },
  noneHow: 'An e-mail address or a webhook: it is told when a condition holds, and when it is over.',
  addFirst: 'Add the first channel',
  mailFirst: 'This server sends no e-mail. Choose a webhook, or configure a mail server.',
  outbox: 'Outbox',
  outboxNote: 'to operators and to accounts; what they say is not shown',
  which: 'Which messages',
  states: { all: 'All', dead: 'Not delivered', waiting: 'Waiting', sent: 'Delivered' },
  account: (id: number) => `account ${id}`,
  actions: 'Actions',
  sendAgain: 'Send again',
  sendNamed: (name: string, id: number) => `Send ${name} ${id} again`,
  linkGone: 'the link is void',
  linkGoneHelp: 'The link of this mail was deleted with it. The account asks for a new one.',
  queued: 'It is sent again',
  none: {
    all: 'Nothing was sent yet',
    dead: 'Everything was delivered',
    waiting: 'Nothing waits',
    sent: 'Nothing was delivered yet',
  },
};
