import type { ApiError } from '../../api/api.ts';

export const en = {
  title: 'Sign in',
  lead: 'One address, one key, every model.',
  email: 'E-mail',
  password: 'Password',
  submit: 'Sign in',
  wrong: 'The e-mail address or the password is wrong.',
  wait: (left: string) => `Try again in ${left}`,
  /** Why nobody is signed in, other than a wrong password, and what to do. */
  refused: ({ status, code }: Pick<ApiError, 'status' | 'code'>): string => {
    if (status === 0) return 'The server does not answer. Try again in a moment.';
    if (status === 429) return 'Too many attempts. The form opens again by itself.';
    if (code === 1003) return 'This account is disabled. Ask your operator.';
    if (code === 1001) return 'This is no e-mail address.';
    return 'The server cannot sign you in just now. Try again in a moment.';
  },
  forgot: 'Forgot it? Ask your operator to reset it.',
  forgotLink: 'Forgot your password?',
  newHere: 'New here?',
  register: 'Make an account',
  closed: 'Accounts are made by the operator.',
  noOperator: 'This server has no operator yet.',
  setUp: 'Set it up',
  models: 'Models and prices',
  status: 'Status',
  apiReference: 'API reference',
  receipt: {
    label: 'What a receipt looks like',
    caption: 'Every call has a receipt that you can check with a pencil.',
    complete: '200 complete',
    way: 'Chat → Responses, 2.1 s',
    input: 'Input',
    output: 'Output',
    listAmount: 'List amount',
    rates: '× 0.95 platform × 0.90 yours',
    amount: 'Amount',
    paidWithCredits: 'Paid with Credits',
  },
};
