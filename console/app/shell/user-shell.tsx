import { Outlet } from '@tanstack/react-router';
import { useApi } from '../../api/api.ts';
import { credits, money } from '../../parts/text/format.ts';
import { useTexts } from '../../texts/language.ts';
import { useLiveUpdates } from '../live.ts';
import { useProfile } from '../session.ts';
import { AccountMenu } from './account-menu.tsx';
import { USER_NAV } from './places.ts';
import css from './shell.module.css';
import { Shell } from './shell.tsx';
import { en } from './texts.en.ts';
import { zh } from './texts.zh.ts';

const TABS = ['/overview', '/calls', '/playground', '/wallet'];

export function UserShell() {
  const profile = useProfile();
  useLiveUpdates('user');
  const items = USER_NAV.flatMap((group) => group.items);
  return (
    <Shell
      nav={USER_NAV}
      tabs={items.filter(({ to }) => TABS.includes(to))}
      owner={profile?.email ?? ''}
      foot={
        <>
          <Funds />
          {profile !== undefined && <AccountMenu profile={profile} at="user" />}
        </>
      }
    >
      <Outlet />
    </Shell>
  );
}

function Funds() {
  const t = useTexts({ en, zh });
  const funds = useApi('getBalanceAndSwitches', {}).data?.data;
  return (
    <dl className={css.funds}>
      <dt>{t.balance}</dt>
      <dd>{funds === undefined ? '–' : money(funds.balance)}</dd>
      <dt>{t.credits}</dt>
      <dd>{funds === undefined ? '–' : credits(funds.credits)}</dd>
    </dl>
  );
}
