import { Button } from '../../parts/button.tsx';
import { chooseLanguage, useLanguage, useTexts } from '../../texts/language.ts';
import { chooseTheme, type Theme, useTheme } from '../theme.ts';
import { LazyMenu } from './lazy-menu.tsx';
import css from './shell.module.css';
import { en } from './texts.en.ts';
import { zh } from './texts.zh.ts';

const THEMES: readonly Theme[] = ['system', 'light', 'dark'];

/** The language and the theme, on every page. */
export function Appearance() {
  const t = useTexts({ en, zh });
  const language = useLanguage();
  const theme = useTheme();
  const other = language === 'en' ? 'zh' : 'en';
  return (
    <div className={css.right}>
      <Button variant="ghost" size="sm" lang={other} onClick={() => chooseLanguage(other)}>
        {t.otherLanguage}
      </Button>
      <LazyMenu
        align="end"
        trigger={<Button variant="ghost" size="sm" icon="sun" aria-label={t.changeTheme} />}
        groups={[
          THEMES.map((each) => ({
            key: each,
            label: t.themes[each],
            checked: each === theme,
            onSelect: () => chooseTheme(each),
          })),
        ]}
      />
    </div>
  );
}
