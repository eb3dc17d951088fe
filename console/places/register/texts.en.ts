import type { ApiError } from '../../api/api.ts';

type Refusal = Pick<ApiError, 'status' | 'code'>;

function refused({ status }: Refusal): string {
  if (status === 0) return 'The server does not answer. Try again in a moment.';
  if (status === 429) return 'Too many attempts. The form opens again by itself.';
  return 'The server cannot make the account just now. Try again in a moment.';
}

export const en = {
  title: 'Make an account',
  lead: 'A key and your first call take about two minutes.',
  closed: 'Registration is closed. Ask the operator of this server for an account.',
  unread: 'The settings of this server could not be read.',
  email: 'E-mail',
  password: 'Password',
  rule: (min: number) => `At least ${min} characters. A few words are easier to remember than symbols.`,
  submit: 'Make the account',
  wait: (left: string) => `Try again in ${left}`,
  known: 'You have an account?',
  signIn: 'Sign in',
  taken: 'This address has an account.',
  noAddress: 'This is no e-mail address.',
  refused: {
    register: (error: Refusal): string =>
      error.code === 1003 ? 'Registration was closed in the meantime. Ask the operator.' : refused(error),
    createFirstOperator: (error: Refusal): string =>
      error.code === 1003
        ? 'The token is wrong, used or expired. Start the server again for a new one.'
        : refused(error),
  },
};
