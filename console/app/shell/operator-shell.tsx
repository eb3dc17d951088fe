import { Outlet } from '@tanstack/react-router';
import { useCallback, useState } from 'react';
import { useApi } from '../../api/api.ts';
import { useTexts } from '../../texts/language.ts';
import { type LiveEvents, useLive, useLiveUpdates } from '../live.ts';
import { useProfile } from '../session.ts';
import { AccountMenu } from './account-menu.tsx';
import { OPERATOR_NAV } from './places.ts';
import { type Counts, Shell } from './shell.tsx';
import { en } from './texts.en.ts';
import { zh } from './texts.zh.ts';

const TABS = ['/operator', '/operator/calls', '/operator/accounts', '/operator/health'];

const REFRESH_MS = 15_000;

function suspectsOf({ credentials }: LiveEvents['health']): number {
  return credentials.filter(({ suspect }) => suspect).length;
}

/** What waits for an operator: users at the desk, credentials that vendors refuse, conditions that hold. */
function useCounts(): Counts {
  const overview = useApi('getOverview', {}, { refetchInterval: REFRESH_MS }).data?.data;
  const held = useApi('listConditionsOfPlatform', {}, { refetchInterval: REFRESH_MS }).data?.data;
  const [suspects, setSuspects] = useState(0);
  useLive(
    'health',
    useCallback((health) => setSuspects(suspectsOf(health)), []),
  );
  return {
    '/operator/accounts': overview?.accounts.total ?? 0,
    '/operator/health': suspects,
    '/operator/alerts': held?.length ?? 0,
    '/operator/verification': overview?.waiting.verifications ?? 0,
    '/operator/feedback': overview?.waiting.feedback ?? 0,
  };
}

export function OperatorShell() {
  const t = useTexts({ en, zh });
  const profile = useProfile();
  useLiveUpdates('operator');
  const items = OPERATOR_NAV.flatMap((group) => group.items);
  return (
    <Shell
      nav={OPERATOR_NAV}
      tabs={items.filter(({ to }) => TABS.includes(to))}
      owner={t.operator}
      tag={t.operatorTag}
      counts={useCounts()}
      foot={profile !== undefined && <AccountMenu profile={profile} at="operator" />}
    >
      <Outlet />
    </Shell>
  );
}
