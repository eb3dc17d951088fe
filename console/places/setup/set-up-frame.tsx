import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { Appearance } from '../../app/shell/appearance.tsx';
import { Brand } from '../../parts/icons/brand.tsx';
import { Icon } from '../../parts/icons/icon.tsx';
import { countDown } from '../../parts/text/format.ts';
import { useNow } from '../../parts/text/now.ts';
import { useTexts } from '../../texts/language.ts';
import css from './setup.module.css';
import { en } from './texts.en.ts';
import { zh } from './texts.zh.ts';

const BEGAN = 'tollgate.set-up.began';

/** When the set-up began, also after a reload. */
function readBegan(): number {
  const known = Number(sessionStorage.getItem(BEGAN));
  if (known > 0) return known;
  const now = Date.now();
  sessionStorage.setItem(BEGAN, String(now));
  return now;
}

export interface SetUpFrameProps {
  /** Facts beside the steps. */
  readonly aside: ReactNode;
  readonly children: ReactNode;
}

/** The page of the first set-up: the steps, and what is known of the server beside them. */
export function SetUpFrame({ aside, children }: SetUpFrameProps) {
  const t = useTexts({ en, zh });
  return (
    <div className={css.frame}>
      <header className={css.top}>
        <Link className={css.brand} to="/">
          <Brand />
          Tollgate
        </Link>
        <span className={css.host}>{t.of(<b key="host">{window.location.host}</b>)}</span>
        <Elapsed />
        <Appearance />
      </header>
      <main className={css.main} id="main">
        <h1>{t.title}</h1>
        <p className={css.lead}>{t.lead}</p>
        {children}
      </main>
      <aside className={css.aside}>{aside}</aside>
    </div>
  );
}

function Elapsed() {
  const t = useTexts({ en, zh });
  const [began] = useState(readBegan);
  return (
    <span className={css.elapsed} title={t.elapsed}>
      <Icon name="clock" size={14} />
      {countDown(useNow() - began)}
    </span>
  );
}
