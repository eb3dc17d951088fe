import { Pill } from '../../../parts/text/status.tsx';
import { useTexts } from '../../../texts/language.ts';
import { codeWords as en, isCallCode } from '../codes.en.ts';
import { codeWords as zh } from '../codes.zh.ts';

/** A code of the gateway as a word; who points at it sees the number. */
export function CodePill({ code }: { readonly code: number }) {
  const words = useTexts<Readonly<Record<keyof typeof en, string>>>({ en, zh });
  return (
    <span title={String(code)}>
      <Pill tone="bad">{isCallCode(code) ? words[code] : code}</Pill>
    </span>
  );
}
