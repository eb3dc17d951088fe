import type { IconName } from '../../parts/icons/icon.tsx';
import type { en } from './texts.en.ts';

export interface NavItem {
  readonly to: string;
  readonly icon: IconName;
  readonly name: keyof typeof en.names;
  /** Shown below it while it is open. */
  readonly nested?: readonly { readonly to: string; readonly name: keyof typeof en.names }[];
}

export interface NavGroup {
  readonly head?: keyof typeof en.groups;
  readonly items: readonly NavItem[];
}

export const USER_NAV: readonly NavGroup[] = [
  {
    items: [
      { to: '/start', icon: 'start', name: 'start' },
      { to: '/overview', icon: 'grid', name: 'overview' },
    ],
  },
  {
    head: 'build',
    items: [
      { to: '/playground', icon: 'chat', name: 'playground' },
      { to: '/models', icon: 'cube', name: 'models' },
      { to: '/keys', icon: 'key', name: 'keys' },
    ],
  },
  {
    head: 'observe',
    items: [
      { to: '/calls', icon: 'list', name: 'calls' },
      { to: '/usage', icon: 'chart', name: 'usage' },
    ],
  },
  {
    head: 'account',
    items: [
      { to: '/wallet', icon: 'wallet', name: 'wallet' },
      { to: '/plan', icon: 'layers', name: 'plan' },
      { to: '/credentials', icon: 'plug', name: 'credentials' },
      { to: '/notifications', icon: 'bell', name: 'notifications' },
      { to: '/settings', icon: 'gear', name: 'settings' },
    ],
  },
];

const CATALOGUE = [
  { to: '/operator/catalogue/vendors', name: 'vendors' },
  { to: '/operator/catalogue/credentials', name: 'vendorCredentials' },
  { to: '/operator/catalogue/models', name: 'models' },
  { to: '/operator/catalogue/policies', name: 'policies' },
  { to: '/operator/catalogue/plans', name: 'plans' },
  { to: '/operator/catalogue/announcements', name: 'announcements' },
  { to: '/operator/catalogue/yaml', name: 'yaml' },
] as const;

export const OPERATOR_NAV: readonly NavGroup[] = [
  {
    items: [
      { to: '/operator', icon: 'grid', name: 'overview' },
      { to: '/operator/calls', icon: 'list', name: 'allCalls' },
      { to: '/operator/accounts', icon: 'users', name: 'accounts' },
    ],
  },
  {
    head: 'offer',
    items: [
      { to: '/operator/catalogue/models', icon: 'layers', name: 'catalogue', nested: CATALOGUE },
      { to: '/operator/health', icon: 'pulse', name: 'health' },
      { to: '/operator/nodes', icon: 'server', name: 'nodes' },
      { to: '/operator/alerts', icon: 'bell', name: 'alerts' },
    ],
  },
  {
    head: 'desk',
    items: [
      { to: '/operator/verification', icon: 'shield', name: 'verification' },
      { to: '/operator/feedback', icon: 'inbox', name: 'feedback' },
      { to: '/operator/audit', icon: 'scroll', name: 'audit' },
      { to: '/operator/settings', icon: 'gear', name: 'settings' },
    ],
  },
];

/** Pages that need no login. */
export const OPEN_NAV: readonly NavItem[] = [
  { to: '/models', icon: 'cube', name: 'models' },
  { to: '/rankings', icon: 'chart', name: 'rankings' },
  { to: '/status', icon: 'pulse', name: 'status' },
  { to: '/announcements', icon: 'info', name: 'announcements' },
];
