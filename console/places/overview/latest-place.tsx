import { Section } from '../../parts/page/layout.tsx';
import { Skeleton } from '../../parts/page/skeleton.tsx';
import { useTexts } from '../../texts/language.ts';
import css from './overview.module.css';
import { en } from './texts.en.ts';
import { zh } from './texts.zh.ts';

/** The place of the newest calls until their table has come. */
export function LatestPlace() {
  const t = useTexts({ en, zh });
  return (
    <Section title={t.latest.title}>
      <div className={css.tablePlace}>
        <Skeleton width="100%" height="100%" />
      </div>
    </Section>
  );
}
