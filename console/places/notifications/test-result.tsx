import { Bad, Good, Sub } from '../../parts/text/text.tsx';
import { useTexts } from '../../texts/language.ts';
import { en } from './channel.texts.en.ts';
import { zh } from './channel.texts.zh.ts';
import type { ChannelTest } from './use-test.ts';

export interface TestResultProps {
  readonly test: ChannelTest;
  readonly className?: string | undefined;
}

/** What became of the last test, in a few words; all of it on hover. */
export function TestResult({ test: { isPending, outcome, error }, className }: TestResultProps) {
  const t = useTexts({ en, zh });
  if (isPending || (outcome === undefined && error === null)) return null;
  const failed = outcome?.kind === 'failed' ? t.testFailed(outcome.reason) : error?.message;
  return (
    <span role="status" className={className}>
      {failed !== undefined ? (
        <Bad title={failed}>{failed}</Bad>
      ) : outcome?.kind === 'sent' ? (
        <Good>{t.testSent}</Good>
      ) : (
        <Sub>{t.testWaits}</Sub>
      )}
    </span>
  );
}
