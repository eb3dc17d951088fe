import { chooseTheme, type Theme, useTheme } from '../../app/theme.ts';
import { Segmented } from '../../parts/form/segmented.tsx';
import { Brand } from '../../parts/icons/brand.tsx';
import { ToastHost } from '../../parts/overlay/toast.tsx';
import { chooseLanguage, useLanguage } from '../../texts/language.ts';
import { Buttons, Choices, Fields, Meters, StatusPart } from './controls.tsx';
import { Charts, Codes, Receipts, Stats, Texts } from './figures.tsx';
import { Banners, Floating, Icons, Lists, LongList, Tables } from './lists.tsx';
import styles from './parts.module.css';

const THEMES: readonly { value: Theme; label: string }[] = [
  { value: 'system', label: 'System' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
];

/** Every part with real props, to be looked at. */
export function Parts() {
  const theme = useTheme();
  const language = useLanguage();
  return (
    <main className={styles.gallery}>
      <header>
        <Brand />
        <h1>Parts</h1>
        <Segmented label="Theme" value={theme} onChange={chooseTheme} options={THEMES} />
        <Segmented
          label="Language"
          value={language}
          onChange={chooseLanguage}
          options={[
            { value: 'en', label: 'English' },
            { value: 'zh', label: '中文' },
          ]}
        />
      </header>
      <div className={styles.parts}>
        <Buttons />
        <Fields />
        <Choices />
        <StatusPart />
        <Meters />
        <Stats />
        <Charts />
        <Tables />
        <Banners />
        <Floating />
        <Lists />
        <Receipts />
        <Codes />
        <Texts />
        <Icons />
        <LongList />
      </div>
      <ToastHost />
    </main>
  );
}
