import { type KeyboardEvent, type ReactNode, type RefObject, useEffect, useRef, useState } from 'react';
import { Button } from '../button.tsx';
import { classes } from '../classes.ts';
import { usePartTexts } from '../texts.ts';
import styles from './drawer.module.css';

export interface SplitProps {
  /** The list. It stays in sight and gets narrower. */
  readonly children: ReactNode;
  /** A Drawer while something is open. */
  readonly drawer: ReactNode;
}

/** A list with its detail beside it. */
export function Split({ children, drawer }: SplitProps) {
  const open = drawer !== undefined && drawer !== null && drawer !== false;
  return (
    <div className={classes(styles.split, open && styles.opened)}>
      <div className={styles.list}>{children}</div>
      {drawer}
    </div>
  );
}

export interface DrawerProps {
  /** Names the drawer for screen readers. */
  readonly label: string;
  readonly title: ReactNode;
  readonly onClose: () => void;
  /** The neighbours in the list. Undefined at its ends; leave both out where there is no list. */
  readonly onPrevious?: (() => void) | undefined;
  readonly onNext?: (() => void) | undefined;
  /** 608 px for a receipt or a key, 420 px for a model or changes. */
  readonly size?: 'wide' | 'narrow' | undefined;
  /** Buttons, at the right of the title. */
  readonly actions?: ReactNode;
  /** `keep`: the focus stays where the reader types while the drawer comes and goes. */
  readonly focus?: 'take' | 'keep' | undefined;
  readonly foot?: ReactNode;
  readonly children: ReactNode;
}

const COVERS = '(max-width: 720px)';
const FLOATING = '[data-open]:is([role="dialog"], [role="alertdialog"], [role="menu"], [role="listbox"])';
const FOCUSABLE = 'a[href], button:not(:disabled), input:not(:disabled), select, textarea, [tabindex="0"]';

/** Escape closes what floats first: a menu or a dialog over the drawer. */
function useEscape(onClose: () => void): void {
  useEffect(() => {
    const close = (event: globalThis.KeyboardEvent) => {
      if (event.key !== 'Escape' || event.isComposing || document.querySelector(FLOATING) !== null) return;
      // A search field with text clears itself first.
      setTimeout(() => {
        if (!event.defaultPrevented && !event.cancelBubble) onClose();
      });
    };
    document.addEventListener('keydown', close, true);
    return () => document.removeEventListener('keydown', close, true);
  }, [onClose]);
}

/** Where the drawer covers the screen, Tab stays inside. */
function keepInside(event: KeyboardEvent<HTMLElement>): void {
  if (event.key !== 'Tab' || !matchMedia(COVERS).matches) return;
  const all = [...event.currentTarget.querySelectorAll<HTMLElement>(FOCUSABLE)].filter(
    (each) => each.offsetParent,
  );
  const [first, last] = [all[0], all.at(-1)];
  const leaves = event.shiftKey ? document.activeElement === first : document.activeElement === last;
  if (!leaves) return;
  event.preventDefault();
  (event.shiftKey ? last : first)?.focus();
}

/** It ends at the lower edge of the window, also below a banner: its foot is always in sight. */
function useHeight(panel: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const drawer = panel.current;
    if (drawer === null) return;
    const adjust = () => {
      const covers = matchMedia(COVERS).matches;
      drawer.style.height = covers
        ? ''
        : `${innerHeight - Math.max(0, drawer.getBoundingClientRect().top)}px`;
    };
    adjust();
    const observer = new ResizeObserver(adjust);
    if (drawer.parentElement !== null) observer.observe(drawer.parentElement);
    addEventListener('scroll', adjust, { passive: true });
    addEventListener('resize', adjust);
    return () => {
      observer.disconnect();
      removeEventListener('scroll', adjust);
      removeEventListener('resize', adjust);
    };
  }, [panel]);
}

/** The focus goes in when the drawer opens and comes back when it closes. */
export function Drawer(props: DrawerProps) {
  const { label, title, onClose, onPrevious, onNext, size = 'wide', actions, focus, foot, children } = props;
  const t = usePartTexts();
  const panel = useRef<HTMLElement>(null);
  const [from] = useState(() => document.activeElement);
  useEscape(onClose);
  useHeight(panel);
  useEffect(() => {
    if (focus === 'keep') return;
    // A field that takes the focus has it by now.
    if (!panel.current?.contains(document.activeElement)) panel.current?.focus({ preventScroll: true });
    return () => {
      if (from instanceof HTMLElement && from.isConnected) from.focus({ preventScroll: true });
    };
  }, [focus, from]);
  const walks = onPrevious !== undefined || onNext !== undefined;
  return (
    <aside
      ref={panel}
      tabIndex={-1}
      aria-label={label}
      className={classes(styles.drawer, size === 'narrow' && styles.narrow)}
      onKeyDown={keepInside}
    >
      <header className={styles.head}>
        <h2>{title}</h2>
        {actions}
        {walks && (
          <>
            <Button
              variant="ghost"
              size="sm"
              icon="up"
              aria-label={t.previous}
              disabled={!onPrevious}
              onClick={onPrevious}
            />
            <Button
              variant="ghost"
              size="sm"
              icon="down"
              aria-label={t.next}
              disabled={!onNext}
              onClick={onNext}
            />
          </>
        )}
        <Button
          variant="ghost"
          size="sm"
          icon="x"
          aria-label={t.close}
          aria-keyshortcuts="Escape"
          onClick={onClose}
        />
      </header>
      <div className={styles.body}>{children}</div>
      {foot !== undefined && <footer className={styles.foot}>{foot}</footer>}
    </aside>
  );
}

export interface DrawerSectionProps {
  readonly title?: ReactNode;
  /** Grey, at the right end. */
  readonly note?: ReactNode;
  readonly children: ReactNode;
}

export function DrawerSection({ title, note, children }: DrawerSectionProps) {
  return (
    <section className={styles.section}>
      {title !== undefined && (
        <h3>
          {title}
          {note !== undefined && <span>{note}</span>}
        </h3>
      )}
      {children}
    </section>
  );
}
