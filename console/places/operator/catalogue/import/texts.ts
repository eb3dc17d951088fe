import { useTexts } from '../../../../texts/language.ts';
import { en } from './texts.en.ts';
import { zh } from './texts.zh.ts';

export function useImportTexts(): typeof en {
  return useTexts({ en, zh });
}
