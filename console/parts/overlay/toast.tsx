import { type ReactNode, useEffect, useState, useSyncExternalStore } from 'react';
import { Button } from '../button.tsx';
import { usePartTexts } from '../texts.ts';
import styles from './toast.module.css';

interface Toast {
  readonly id: number;
  readonly text: ReactNode;
  readonly onUndo: (() => void) | undefined;
  readonly onEnd: (() => void) | undefined;
}

const SHOWN_MS = 8_000;
const SHOWN_AT_MOST = 3;

let toasts: readonly Toast[] = [];
let nextId = 1;
const listeners = new Set<() => void>();

function set(next: readonly Toast[]): void {
  toasts = next;
  for (const tell of listeners) tell();
}

function subscribe(tell: () => void): () => void {
  listeners.add(tell);
  return () => listeners.delete(tell);
}

function close(id: number): void {
  set(toasts.filter((toast) => toast.id !== id));
}

/** Its time is over, it was dismissed, or newer ones took its place. */
function end(toast: Toast): void {
  close(toast.id);
  toast.onEnd?.();
}

export interface ToastGiven {
  readonly text: ReactNode;
  /** With it the toast offers Undo for eight seconds. */
  readonly onUndo?: (() => void) | undefined;
  /** Called once when the toast goes without Undo: what it announced becomes final. */
  readonly onEnd?: (() => void) | undefined;
}

/** Says that something is done which is not visible anyway, and offers to undo it. */
export function showToast({ text, onUndo, onEnd }: ToastGiven): void {
  set([...toasts, { id: nextId++, text, onUndo, onEnd }]);
  for (const old of toasts.slice(0, -SHOWN_AT_MOST)) end(old);
}

export function useToast(): (given: ToastGiven) => void {
  return showToast;
}

/** Stands once, in the shell. */
export function ToastHost() {
  const shown = useSyncExternalStore(subscribe, () => toasts);
  const t = usePartTexts();
  return (
    <section className={styles.host} aria-label={t.notifications} aria-live="polite">
      {shown.map((toast) => (
        <Shown key={toast.id} toast={toast} />
      ))}
    </section>
  );
}

/** The time stands still while the pointer or the focus is on it. */
function Shown({ toast }: { readonly toast: Toast }) {
  const t = usePartTexts();
  const [held, setHeld] = useState(false);
  useEffect(() => {
    if (held) return;
    const timer = setTimeout(() => end(toast), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [held, toast]);
  const undo = () => {
    close(toast.id);
    toast.onUndo?.();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the pointer only holds the time
    <div
      className={styles.toast}
      onMouseEnter={() => setHeld(true)}
      onMouseLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
    >
      <span>{toast.text}</span>
      {toast.onUndo !== undefined && (
        <Button variant="ghost" size="xs" onClick={undo}>
          {t.undo}
        </Button>
      )}
      <Button variant="ghost" size="xs" icon="x" aria-label={t.dismiss} onClick={() => end(toast)} />
    </div>
  );
}
