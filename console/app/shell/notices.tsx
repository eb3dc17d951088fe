import { Link, useLocation } from '@tanstack/react-router';
import { useState } from 'react';
import { useApi } from '../../api/api.ts';
import { Banner } from '../../parts/page/banner.tsx';
import { useTexts } from '../../texts/language.ts';
import { ConnectionNotice } from './connection-notice.tsx';
import css from './shell.module.css';
import { en } from './texts.en.ts';
import { zh } from './texts.zh.ts';

const KEPT = 'tollgate.announcements.read';

function readDismissed(): readonly number[] {
  return (localStorage.getItem(KEPT) ?? '').split(',').filter(Boolean).map(Number);
}

/** Above the page: whether the server answers, and news from the operator. */
export function Notices() {
  const t = useTexts({ en, zh });
  const [dismissed, setDismissed] = useState(readDismissed);
  const news = useApi('listActiveAnnouncements', {}, { staleTime: 60_000 }).data?.data ?? [];
  const isThere = useLocation().pathname === '/announcements';
  const [latest] = isThere ? [] : news.filter(({ id }) => !dismissed.includes(id));
  const dismiss = (id: number): void => {
    // Only of those that are still shown: the list cannot grow for ever.
    const kept = [...dismissed.filter((each) => news.some((one) => one.id === each)), id];
    localStorage.setItem(KEPT, kept.join(','));
    setDismissed(kept);
  };
  return (
    <div className={css.notices}>
      <ConnectionNotice />
      {latest !== undefined && (
        <Banner onDismiss={() => dismiss(latest.id)}>
          <b>{latest.title}</b> <Link to="/announcements">{t.read}</Link>
        </Banner>
      )}
    </div>
  );
}
