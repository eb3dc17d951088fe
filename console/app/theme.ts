import { createStore, useStore } from './store.ts';

export type Theme = 'system' | 'light' | 'dark';

const KEPT = 'tollgate.theme';

/** The chosen theme: public/theme.js sets it before the first paint. */
const theme = createStore<Theme>((document.documentElement.dataset.theme as Theme | undefined) ?? 'system');

/** `system` follows the browser. */
export function chooseTheme(chosen: Theme): void {
  if (chosen === 'system') {
    localStorage.removeItem(KEPT);
    delete document.documentElement.dataset.theme;
  } else {
    localStorage.setItem(KEPT, chosen);
    document.documentElement.dataset.theme = chosen;
  }
  theme.write(chosen);
}

export function useTheme(): Theme {
  return useStore(theme);
}
