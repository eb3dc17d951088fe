import { Link, Outlet, useLocation, useRouteContext } from '@tanstack/react-router';
import { Brand } from '../../parts/icons/brand.tsx';
import { useTexts } from '../../texts/language.ts';
import { openLayout } from '../layouts.ts';
import { usePageTitle } from '../page-title.ts';
import { ConnectionNotice } from './connection-notice.tsx';
import css from './open-shell.module.css';
import { OPEN_NAV } from './places.ts';
import { en } from './texts.en.ts';
import { zh } from './texts.zh.ts';
import { TopRight } from './top-right.tsx';
import { UserShell } from './user-shell.tsx';

/** Pages that need no login: within the shell of users for them, below a plain bar for visitors. */
export function OpenShell() {
  const { profile } = useRouteContext({ from: openLayout.id });
  return profile === undefined ? <VisitorShell /> : <UserShell />;
}

function VisitorShell() {
  const t = useTexts({ en, zh });
  const { pathname } = useLocation();
  const here = OPEN_NAV.find(({ to }) => to === pathname);
  usePageTitle(...(here === undefined ? [] : [t.names[here.name]]));
  return (
    <div>
      <header className={css.bar}>
        <Link className={css.brand} to="/signin">
          <Brand />
          Tollgate
        </Link>
        <nav className={css.nav} aria-label={t.places}>
          {OPEN_NAV.map(({ to, name }) => (
            <Link key={to} to={to} activeProps={{ 'aria-current': 'page' }}>
              {t.names[name]}
            </Link>
          ))}
          <a href="/docs">{t.apiReference}</a>
        </nav>
        <TopRight />
        <Link className={css.signIn} to="/signin">
          {t.signIn}
        </Link>
      </header>
      <ConnectionNotice />
      <main id="main">
        <Outlet />
      </main>
    </div>
  );
}
