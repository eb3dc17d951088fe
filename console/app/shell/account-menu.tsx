import { Icon } from '../../parts/icons/icon.tsx';
import type { MenuItem } from '../../parts/overlay/menu.tsx';
import { Avatar } from '../../parts/text/avatar.tsx';
import { useTexts } from '../../texts/language.ts';
import { type Profile, signOut } from '../session.ts';
import { LazyMenu } from './lazy-menu.tsx';
import css from './shell.module.css';
import { en } from './texts.en.ts';
import { zh } from './texts.zh.ts';

export interface AccountMenuProps {
  readonly profile: Profile;
  /** The side of the console that is open. An operator has an account too. */
  readonly at: 'user' | 'operator';
}

export function AccountMenu({ profile, at }: AccountMenuProps) {
  const t = useTexts({ en, zh });
  const { email, plan, verification, role } = profile;
  const detail = at === 'operator' ? t.operator : `${plan ?? t.noPlan} · ${t.verification[verification]}`;
  const other: MenuItem =
    at === 'user'
      ? { key: 'operator', label: t.toOperator, icon: 'swap', link: { to: '/operator' } }
      : { key: 'user', label: t.toUser, icon: 'swap', link: { to: '/overview' } };
  const open: readonly MenuItem[] = [
    { key: 'rankings', label: t.names.rankings, icon: 'chart', link: { to: '/rankings' } },
    { key: 'status', label: t.names.status, icon: 'pulse', link: { to: '/status' } },
    { key: 'announcements', label: t.names.announcements, icon: 'info', link: { to: '/announcements' } },
    { key: 'docs', label: t.apiReference, icon: 'code', onSelect: () => window.location.assign('/docs') },
  ];
  const leave: MenuItem = { key: 'out', label: t.signOut, icon: 'go', onSelect: () => void signOut() };
  return (
    <LazyMenu
      side="top"
      trigger={
        <button type="button" className={css.me}>
          <Avatar name={email} />
          <span className={css.meName}>
            {email}
            <small>{detail}</small>
          </span>
          <Icon name="down" size={14} />
        </button>
      }
      groups={[...(role === 'operator' ? [[other]] : []), open, [leave]]}
    />
  );
}
