import type { MessageTexts } from './message-texts.ts';

export const en: MessageTexts = {
  open: 'Open the console',
  verify: 'Confirm this address',
  reset: 'Choose a new password',
  footer: (publicUrl) => `Sent by Tollgate at ${publicUrl}.`,
  test: {
    title: 'Test of a channel',
    lines: ['This message was asked for with the test button. Alerts of this channel arrive here.'],
  },
  kinds: {
    'route-down': {
      raised: ({ vendor, model, route, nodes }) => ({
        title: `${vendor} fails for ${model}`,
        lines: [
          `Route ${route} of model ${model} at vendor ${vendor} fails and is left out.`,
          `Seen by ${nodes}. Other routes of the model serve its calls, if there are any.`,
        ],
      }),
      cleared: ({ vendor, model, route }) => ({
        title: `${vendor} works again for ${model}`,
        lines: [`Route ${route} of model ${model} at vendor ${vendor} is in use again.`],
      }),
    },
    'credential-refused': {
      raised: ({ vendor, credential, nodes }) => ({
        title: `${vendor} refuses credential ${credential}`,
        lines: [
          `The vendor answers calls with credential ${credential} with 401 or 403. Seen by ${nodes}.`,
          'Check the key and the account at the vendor.',
        ],
      }),
      cleared: ({ vendor, credential }) => ({
        title: `${vendor} no longer refuses credential ${credential}`,
        lines: [`No call with credential ${credential} was refused for ten minutes.`],
      }),
    },
    'settling-lags': {
      raised: ({ node, calls }) => ({
        title: `Settling lags on ${node}`,
        lines: [`${calls} ended calls wait to be settled on node ${node}. They are safe in its journal.`],
      }),
      cleared: ({ node }) => ({
        title: `Settling has caught up on ${node}`,
        lines: [`Node ${node} settles its calls as they end.`],
      }),
    },
    'disk-nearly-full': {
      raised: ({ node, free }) => ({
        title: `Disk nearly full on ${node}`,
        lines: [
          `The data directory of node ${node} has ${free} % of its disk left.`,
          'A full disk stops the journal, and then no call is served.',
        ],
      }),
      cleared: ({ node }) => ({
        title: `Disk has room again on ${node}`,
        lines: [`The data directory of node ${node} has room again.`],
      }),
    },
    'doctor-finding': {
      raised: ({ findings, first }) => ({
        title: `The ledger has findings: ${findings}`,
        lines: [`The daily check of the ledger found: ${first}`, 'Run "tollgate doctor" for all of it.'],
      }),
      cleared: () => ({
        title: 'The ledger is sound',
        lines: ['The daily check of the ledger found nothing.'],
      }),
    },
    'credits-low': {
      raised: ({ credits, threshold }) => ({
        title: `Credits are low: ${credits}`,
        lines: [`The account has ${credits} Credits to spend, less than ${threshold}.`],
      }),
    },
    'cap-near': {
      raised: ({ spent, cap }) => ({
        title: 'The monthly cap is nearly reached',
        lines: [`¥${spent} of ¥${cap} are spent this month: 80 % or more.`],
      }),
    },
    'cap-reached': {
      raised: ({ spent, cap }) => ({
        title: 'The monthly cap is reached',
        lines: [`¥${spent} of ¥${cap} are spent this month. Calls are refused until the cap is raised.`],
      }),
    },
    'key-expiring': {
      raised: ({ name, expires_at: at }) => ({
        title: `Key ${name} expires soon`,
        lines: [`The API key ${name} expires at ${at}. Calls with it are refused from then on.`],
      }),
    },
    'limit-hit': {
      raised: ({ limit, scope, value }) => ({
        title: `A limit refused calls: ${limit}`,
        lines: [`The limit on ${limit} of ${value} (${scope}) refused calls within the last hour.`],
      }),
    },
    'verify-address': {
      raised: ({ email }) => ({
        title: 'Confirm your e-mail address',
        lines: [
          `Open the link to confirm that ${email} is your address. It works once, for 24 hours.`,
          'If you have no account here, ignore this mail.',
        ],
      }),
    },
    'reset-password': {
      raised: ({ email }) => ({
        title: 'Choose a new password',
        lines: [
          `Open the link to choose a new password for ${email}. It works once, for one hour.`,
          'If you did not ask for it, ignore this mail: the password stays as it is.',
        ],
      }),
    },
    'password-changed': {
      raised: ({ at, address }) => ({
        title: 'Your password was changed',
        lines: [
          `The password of your account was changed at ${at} from ${address}. Other sessions have ended.`,
          'If it was not you, ask for a new password at once and tell the operator.',
        ],
      }),
    },
    'new-sign-in': {
      raised: ({ at, address, user_agent: agent }) => ({
        title: 'Sign-in from a new place',
        lines: [
          `Somebody signed in to your account at ${at} from ${address}, with ${agent}.`,
          'If it was not you, change the password and end the other sessions.',
        ],
      }),
    },
  },
};
