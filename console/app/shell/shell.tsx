import { Link, useLocation } from '@tanstack/react-router';
import { lazy, type ReactNode, Suspense, useEffect, useRef, useState } from 'react';
import { Brand } from '../../parts/icons/brand.tsx';
import { Icon } from '../../parts/icons/icon.tsx';
import { count } from '../../parts/text/format.ts';
import { useTexts } from '../../texts/language.ts';
import { crumb } from '../crumb.ts';
import { usePageTitle } from '../page-title.ts';
import { useStore } from '../store.ts';
import { Notices } from './notices.tsx';
import { usePastedCall } from './pasted-call.ts';
import { type NavGroup, type NavItem, OPEN_NAV } from './places.ts';
import css from './shell.module.css';
import { en } from './texts.en.ts';
import { zh } from './texts.zh.ts';
import { TopRight } from './top-right.tsx';

const Palette = lazy(() => import('./palette.tsx'));

export type Counts = Readonly<Partial<Record<string, number>>>;

export interface ShellProps {
  readonly nav: readonly NavGroup[];
  /** The five that a phone shows below the page; the last one opens the palette. */
  readonly tabs: readonly NavItem[];
  /** The first part of the bar above the page. */
  readonly owner: string;
  readonly tag?: string;
  /** What waits in a place, by its address. Nothing is shown for none. */
  readonly counts?: Counts | undefined;
  readonly foot: ReactNode;
  readonly children: ReactNode;
}

const IS_MAC = /Mac|iPhone|iPad/.test(navigator.userAgent);

/** The frame of every page with a login: places on the left, a bar above, the page itself. */
export function Shell({ nav, tabs, owner, tag, counts, foot, children }: ShellProps) {
  const t = useTexts({ en, zh });
  const palette = usePalette();
  usePastedCall(nav);
  const main = useFocusOnNavigation();
  return (
    <div className={css.app}>
      <a className={css.skip} href="#main">
        {t.skip}
      </a>
      <aside className={css.side}>
        <Link className={css.brand} to="/">
          <Brand />
          Tollgate
          {tag !== undefined && <span className={css.brandTag}>{tag}</span>}
        </Link>
        <button type="button" className={css.jump} onClick={palette.open}>
          <Icon name="search" />
          <span>{t.jump}</span>
          <kbd>{IS_MAC ? '⌘K' : 'Ctrl K'}</kbd>
        </button>
        <nav aria-label={t.places}>
          {nav.map((group) => (
            <Group key={group.head ?? 'first'} group={group} counts={counts} />
          ))}
        </nav>
        <div className={css.foot}>{foot}</div>
      </aside>
      <div className={css.main}>
        <header className={css.top}>
          <Link className={css.brand} to="/">
            <Brand />
            Tollgate
          </Link>
          <Crumbs nav={nav} owner={owner} />
          <TopRight />
        </header>
        <Notices />
        <main className={css.content} id="main" tabIndex={-1} ref={main}>
          {children}
        </main>
      </div>
      <nav className={css.tabbar} aria-label={t.places}>
        {tabs.map((item) => (
          <Tab key={item.to} item={item} />
        ))}
        <button type="button" className={css.tab} onClick={palette.open}>
          <Icon name="menu" />
          {t.more}
        </button>
      </nav>
      {palette.isOpen && (
        <Suspense>
          <Palette nav={nav} onClose={palette.close} />
        </Suspense>
      )}
    </div>
  );
}

/** A tab of the phone. A place that has none of its own highlights none. */
function Tab({ item }: { readonly item: NavItem }) {
  const t = useTexts({ en, zh });
  const { pathname } = useLocation();
  return (
    <Link
      className={css.tab}
      to={item.to}
      activeOptions={{ exact: true }}
      aria-current={isAt(pathname, item) ? 'page' : undefined}
    >
      <Icon name={item.icon} />
      {t.names[item.name]}
    </Link>
  );
}

function Group({ group, counts }: { readonly group: NavGroup; readonly counts: Counts | undefined }) {
  const t = useTexts({ en, zh });
  return (
    <div className={css.group}>
      {group.head !== undefined && <div className={css.groupHead}>{t.groups[group.head]}</div>}
      {group.items.map((item) => (
        <Item key={item.to} item={item} waiting={counts?.[item.to]} />
      ))}
    </div>
  );
}

function isAt(pathname: string, { to, nested }: NavItem): boolean {
  if (nested !== undefined) return nested.some((each) => pathname.startsWith(each.to));
  return to === '/operator' ? pathname === to : pathname === to || pathname.startsWith(`${to}/`);
}

function Item({ item, waiting = 0 }: { readonly item: NavItem; readonly waiting?: number | undefined }) {
  const t = useTexts({ en, zh });
  const { pathname } = useLocation();
  const isHere = isAt(pathname, item);
  return (
    <>
      <Link
        className={css.link}
        to={item.to}
        activeOptions={{ exact: true }}
        aria-current={isHere ? 'page' : undefined}
      >
        <Icon name={item.icon} />
        {t.names[item.name]}
        {waiting > 0 && <span className={css.count}>{count(waiting)}</span>}
      </Link>
      {isHere && item.nested !== undefined && (
        <div className={css.nest}>
          {item.nested.map(({ to, name }) => (
            <Link
              key={to}
              className={css.link}
              to={to}
              aria-current={pathname.startsWith(to) ? 'page' : undefined}
            >
              {t.names[name]}
            </Link>
          ))}
        </div>
      )}
    </>
  );
}

function Crumbs({ nav, owner }: Pick<ShellProps, 'nav' | 'owner'>) {
  const t = useTexts({ en, zh });
  const { pathname } = useLocation();
  const detail = useStore(crumb);
  const item = [...nav.flatMap(({ items }) => items), ...OPEN_NAV].find((each) => isAt(pathname, each));
  const inner = item?.nested?.find(({ to }) => pathname.startsWith(to));
  const names = [item, inner].flatMap((each) => (each === undefined ? [] : [t.names[each.name]]));
  const within = [...names, ...(detail === undefined ? [] : [detail])];
  usePageTitle(...within.toReversed());
  const parts = [owner, ...within];
  return (
    <nav className={css.crumbs} aria-label={t.breadcrumb}>
      {parts.map((part, place) => (
        <Crumb key={part} text={part} isFirst={place === 0} isLast={place === parts.length - 1} />
      ))}
    </nav>
  );
}

function Crumb(given: { readonly text: string; readonly isFirst: boolean; readonly isLast: boolean }) {
  const { text, isFirst, isLast } = given;
  return (
    <>
      {!isFirst && <Icon name="right" />}
      <span aria-current={isLast ? 'page' : undefined}>{text}</span>
    </>
  );
}

function usePalette(): { readonly isOpen: boolean; readonly open: () => void; readonly close: () => void } {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key.toLowerCase() !== 'k' || !(event.metaKey || event.ctrlKey)) return;
      event.preventDefault();
      setOpen(true);
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, []);
  return { isOpen, open: () => setOpen(true), close: () => setOpen(false) };
}

/** A change of page moves the focus to its content, so that a keyboard or a screen reader goes on there. */
function useFocusOnNavigation() {
  const main = useRef<HTMLElement>(null);
  const { pathname } = useLocation();
  const before = useRef(pathname);
  useEffect(() => {
    if (before.current === pathname) return;
    before.current = pathname;
    main.current?.focus({ preventScroll: true });
  }, [pathname]);
  return main;
}
