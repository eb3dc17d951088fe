import { useTexts } from '../../../texts/language.ts';
import { en } from './texts.en.ts';
import { zh } from './texts.zh.ts';

export type Texts = typeof en;

export function useCatalogueTexts(): Texts {
  return useTexts({ en, zh });
}
