import { useTexts } from '../texts/language.ts';
import { en } from './texts.en.ts';
import { zh } from './texts.zh.ts';

/** The few words that parts bring themselves. */
export function usePartTexts(): typeof en {
  return useTexts({ en, zh });
}
