import { LinkButton } from '../../../parts/button.tsx';
import { AttentionList } from '../../../parts/page/attention.tsx';
import { Empty } from '../../../parts/page/empty.tsx';
import { Section } from '../../../parts/page/layout.tsx';
import { SkeletonLines } from '../../../parts/page/skeleton.tsx';
import { count } from '../../../parts/text/format.ts';
import { useTexts } from '../../../texts/language.ts';
import type { Overview } from './data.ts';
import { en } from './texts.en.ts';
import { zh } from './texts.zh.ts';

/** What users wait for. */
export function Waiting({ waiting }: { readonly waiting: Overview['waiting'] | undefined }) {
  const t = useTexts({ en, zh });
  if (waiting === undefined) {
    return (
      <Section title={t.waiting}>
        <SkeletonLines lines={2} />
      </Section>
    );
  }
  const { verifications, feedback } = waiting;
  const items = [
    ...(verifications === 0
      ? []
      : [
          {
            ...{ key: 'verification', tone: 'warn' as const, icon: 'shield' as const },
            title: t.waitingVerifications(count(verifications), verifications),
            text: t.waitingVerificationsText,
            action: (
              <LinkButton size="sm" to="/operator/verification">
                {t.decide}
              </LinkButton>
            ),
          },
        ]),
    ...(feedback === 0
      ? []
      : [
          {
            ...{ key: 'feedback', tone: 'info' as const, icon: 'inbox' as const },
            title: t.waitingFeedback(count(feedback), feedback),
            action: (
              <LinkButton size="sm" to="/operator/feedback">
                {t.read}
              </LinkButton>
            ),
          },
        ]),
  ];
  return (
    <Section title={t.waiting}>
      {items.length === 0 ? <Empty plain title={t.nothingWaits} /> : <AttentionList items={items} />}
    </Section>
  );
}
