import type { ApiError } from '../../api/api.ts';

export const en = {
  forgot: {
    title: 'Forgot your password?',
    lead: 'Give the address of your account. A link for a new password is mailed to it.',
    noMail: 'This server sends no e-mail. Ask its operator for a new password.',
    submit: 'Send the link',
    again: 'Send it again',
    sent: (email: string) =>
      `If ${email} has an account here, the link is on its way. It works once, for one hour. ` +
      'Look among the unwanted mails too.',
  },
  reset: {
    title: 'Choose a new password',
    lead: 'It ends every session of the account. Keys go on working.',
    password: 'New password',
    submit: 'Set the password',
    doneTitle: 'The password is set',
    done: (sessions: number) =>
      sessions === 0
        ? 'Sign in with the new password.'
        : sessions === 1
          ? 'One session has ended. Sign in with the new password.'
          : `${sessions} sessions have ended. Sign in with the new password.`,
    spentTitle: 'This link no longer works',
    spent: 'A link works once, for one hour, and a newer one replaces it.',
    another: 'Ask for a new link',
  },
  verify: {
    title: 'Confirm your address',
    lead: 'Alerts and notices of your account are then sent to it.',
    submit: 'Confirm the address',
    doneTitle: 'The address is confirmed',
    done: 'Choose in the console which alerts it gets.',
    spentTitle: 'This link no longer works',
    spent: 'A link works once, for 24 hours. If you have opened it before, your address is confirmed.',
    notifications: 'Go to the notifications',
  },
  email: 'E-mail',
  noAddress: 'This is no e-mail address.',
  rule: (min: number) => `At least ${min} characters. A few words are easier to remember than symbols.`,
  signIn: 'Sign in',
  known: 'You remember it?',
  wait: (left: string) => `Try again in ${left}`,
  refused: ({ status, code }: Pick<ApiError, 'status' | 'code'>): string => {
    if (status === 0) return 'The server does not answer. Try again in a moment.';
    if (status === 429) return 'Too many attempts. The form opens again by itself.';
    if (code === 1003) return 'This server sends no e-mail. Ask its operator.';
    return 'The server cannot do it just now. Try again in a moment.';
  },
};
