import { useApi } from '../../api/api.ts';
import { Section } from '../../parts/page/layout.tsx';
import { SkeletonLines } from '../../parts/page/skeleton.tsx';
import { useTexts } from '../../texts/language.ts';
import { Attention } from './attention.tsx';
import { useAttention } from './attention-items.tsx';
import { Funds } from './funds.tsx';
import { Limits } from './limits.tsx';
import { en } from './texts.en.ts';
import { zh } from './texts.zh.ts';

/** The upper sections are as long as their answers say. They come together, so that nothing moves. */
export function Side() {
  const t = useTexts({ en, zh });
  const attention = useAttention();
  const limits = useApi('getLimits', {});
  if (attention === undefined || limits.isPending) {
    return (
      <Section title={t.attention.title} urgent>
        <SkeletonLines lines={8} />
      </Section>
    );
  }
  return (
    <>
      <Attention items={attention} />
      <Limits limits={limits.data?.data} />
      <Funds />
    </>
  );
}
