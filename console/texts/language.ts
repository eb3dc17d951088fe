import { createStore, useStore } from '../app/store.ts';

/** The languages of the console. Every place has one file of texts for each. */
export type Language = 'en' | 'zh';

/** The same keys with other words. A missing key is an error of types. */
export type Translation<Texts> = {
  readonly [Key in keyof Texts]: Texts[Key] extends string
    ? string
    : Texts[Key] extends (...given: infer Given) => infer Made
      ? (...given: Given) => Made
      : Translation<Texts[Key]>;
};

const KEPT = 'tollgate.language';

/** The chosen language, or that of the browser: public/theme.js sets it before the first paint. */
const language = createStore<Language>(document.documentElement.lang.startsWith('zh') ? 'zh' : 'en');

export function chooseLanguage(chosen: Language): void {
  localStorage.setItem(KEPT, chosen);
  document.documentElement.lang = chosen;
  language.write(chosen);
}

export function useLanguage(): Language {
  return useStore(language);
}

/** The texts of a place in the language of the reader: `const t = useTexts({ en, zh })`. */
export function useTexts<Texts>(all: { readonly en: Texts; readonly zh: Translation<Texts> }): Texts {
  return all[useLanguage()] as Texts;
}
