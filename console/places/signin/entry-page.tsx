import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { usePageTitle } from '../../app/page-title.ts';
import { Appearance } from '../../app/shell/appearance.tsx';
import { Brand } from '../../parts/icons/brand.tsx';
import { useTexts } from '../../texts/language.ts';
import css from './entry-page.module.css';
import { Guilloche } from './guilloche.tsx';
import { SampleReceipt } from './sample-receipt.tsx';
import { en } from './texts.en.ts';
import { zh } from './texts.zh.ts';

export interface EntryPageProps {
  readonly title: string;
  readonly lead: string;
  readonly children: ReactNode;
}

/** The page of those who are not signed in: a form at the left, what they get at the right. */
export function EntryPage({ title, lead, children }: EntryPageProps) {
  const t = useTexts({ en, zh });
  usePageTitle(title);
  return (
    <div className={css.entry}>
      <div className={css.side}>
        <header>
          <Link className={css.brand} to="/signin">
            <Brand />
            Tollgate
          </Link>
        </header>
        <main className={css.main} id="main">
          <div className={css.head}>
            <h1>{title}</h1>
            <p>{lead}</p>
          </div>
          {children}
        </main>
        <footer className={css.foot}>
          <Link to="/models">{t.models}</Link>
          <Link to="/status">{t.status}</Link>
          <a href="/docs">{t.apiReference}</a>
          <Appearance />
        </footer>
      </div>
      <aside className={css.art} aria-label={t.receipt.label}>
        <Guilloche />
        <SampleReceipt />
        <p className={css.caption}>{t.receipt.caption}</p>
      </aside>
    </div>
  );
}
