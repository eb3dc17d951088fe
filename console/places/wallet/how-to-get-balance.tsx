import { AskOperator } from '../../app/message/ask-operator.tsx';
import { useProfile } from '../../app/session.ts';
import { Section } from '../../parts/page/layout.tsx';
import { useTexts } from '../../texts/language.ts';
import { en as planEn } from '../plan/texts.en.ts';
import { zh as planZh } from '../plan/texts.zh.ts';
import { en } from './texts.en.ts';
import { zh } from './texts.zh.ts';
import css from './wallet.module.css';

/** Operators add balance. One can ask them for it here. */
export function HowToGetBalance() {
  const t = useTexts({ en, zh });
  const { ask } = useTexts({ en: planEn, zh: planZh });
  const email = useProfile()?.email;
  return (
    <Section title={t.getBalance}>
      <p className={css.words}>{t.getBalanceHow(email ?? '')}</p>
      <AskOperator title={ask.topUp} message={ask.topUpMessage} />
    </Section>
  );
}
