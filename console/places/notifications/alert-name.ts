import { useTexts } from '../../texts/language.ts';
import { en } from './channel.texts.en.ts';
import { zh } from './channel.texts.zh.ts';

/** The name of an alert or a mail in words. A newer server may have one that is not known here. */
export function useAlertName(): (kind: string) => string {
  const { names } = useTexts({ en, zh });
  return (kind) => (Object.hasOwn(names, kind) ? names[kind as keyof typeof names] : kind);
}

export function useAlertMeaning(): (kind: string) => string | undefined {
  const { meanings } = useTexts({ en, zh });
  return (kind) => (Object.hasOwn(meanings, kind) ? meanings[kind as keyof typeof meanings] : undefined);
}
