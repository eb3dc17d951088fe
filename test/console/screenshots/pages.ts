/** Who looks at a page. */
export type Who = 'visitor' | 'user' | 'operator';

/** Done before the photograph. The names of controls depend on the language, so selectors find them. */
export type Step =
  | { readonly press: string }
  | { readonly click: string; readonly nth?: number }
  | { readonly type: string };

export interface PhotographedPage {
  /** The beginning of the file's name. */
  readonly name: string;
  /** `{account}` is the demo's user. */
  readonly path: string;
  readonly who: Who;
  readonly steps?: readonly Step[];
}

/** The first row below the head of a table, by any of its cells that is no control. */
const OPEN_FIRST_ROW: readonly Step[] = [{ click: 'tbody tr', nth: 0 }];
const OPEN_COMMANDS: readonly Step[] = [{ press: 'Control+k' }];

const visitor = (name: string, path: string): PhotographedPage => ({ name, path, who: 'visitor' });
const user = (name: string, steps?: readonly Step[], path = `/${name}`): PhotographedPage => ({
  ...{ name, path, who: 'user' },
  ...(steps !== undefined && { steps }),
});
const operator = (name: string, path: string, steps?: readonly Step[]): PhotographedPage => ({
  ...{ name: `operator-${name}`, path: `/operator${path}`, who: 'operator' },
  ...(steps !== undefined && { steps }),
});

/** Every page of console/router.ts, and the drawers and dialogs worth a picture. */
export const PAGES: readonly PhotographedPage[] = [
  visitor('signin', '/signin'),
  visitor('register', '/register'),
  visitor('forgot-password', '/forgot-password'),
  visitor('reset-password', '/reset-password#tgm1.a-link-of-a-mail'),
  visitor('reset-password-spent', '/reset-password'),
  visitor('verify-address', '/verify-address#tgm1.a-link-of-a-mail'),
  visitor('setup', '/setup'),
  visitor('public-models', '/models'),
  visitor('public-status', '/status'),
  user('start'),
  user('overview'),
  user('playground'),
  user('keys'),
  user('calls'),
  user('call', OPEN_FIRST_ROW, '/calls'),
  user('usage'),
  user('wallet'),
  user('plan'),
  user('credentials'),
  user('notifications'),
  user('notification', [], '/notifications?open=new'),
  user('settings'),
  user('models'),
  user('rankings'),
  user('announcements'),
  user('status'),
  user('commands', OPEN_COMMANDS, '/overview'),
  operator('overview', ''),
  operator('calls', '/calls'),
  operator('call', '/calls', OPEN_FIRST_ROW),
  operator('accounts', '/accounts'),
  operator('account', '/accounts/{account}'),
  operator('catalogue-models', '/catalogue/models'),
  operator('catalogue-model', '/catalogue/models?model=gpt-5'),
  operator('catalogue-vendors', '/catalogue/vendors'),
  operator('catalogue-credentials', '/catalogue/credentials'),
  operator('catalogue-policies', '/catalogue/policies'),
  operator('catalogue-plans', '/catalogue/plans'),
  operator('health', '/health'),
  operator('nodes', '/nodes'),
  operator('alerts', '/alerts'),
  operator('alert', '/alerts?open=new'),
  operator('verification', '/verification'),
  operator('feedback', '/feedback'),
  operator('audit', '/audit'),
  operator('settings', '/settings'),
  operator('first-run', '/first-run'),
];
