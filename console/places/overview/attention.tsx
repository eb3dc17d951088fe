import { type AttentionItem, AttentionList } from '../../parts/page/attention.tsx';
import { Section } from '../../parts/page/layout.tsx';
import { useTexts } from '../../texts/language.ts';
import css from './overview.module.css';
import { en } from './texts.en.ts';
import { zh } from './texts.zh.ts';

/** What needs attention, each with its remedy. */
export function Attention({ items }: { readonly items: readonly AttentionItem[] }) {
  const t = useTexts({ en, zh }).attention;
  return (
    <Section title={t.title} note={items.length > 0 ? items.length : undefined} urgent>
      {items.length === 0 ? <p className={css.none}>{t.nothing}</p> : <AttentionList items={items} />}
    </Section>
  );
}
