import { connection } from '../../api/api.ts';
import { Banner } from '../../parts/page/banner.tsx';
import { useTexts } from '../../texts/language.ts';
import { useStore } from '../store.ts';
import { en } from './texts.en.ts';
import { zh } from './texts.zh.ts';

/** Nothing while the server answers. Also in place of a page that waits for its first answer. */
export function ConnectionNotice() {
  const t = useTexts({ en, zh });
  const state = useStore(connection);
  if (state === 'up') return null;
  return <Banner tone="warn">{state === 'no-answer' ? t.noAnswer : t.unavailable}</Banner>;
}
