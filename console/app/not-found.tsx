import type { ReactNode } from 'react';
import { Button, LinkButton } from '../parts/button.tsx';
import { Brand } from '../parts/icons/brand.tsx';
import { Empty } from '../parts/page/empty.tsx';
import { useTexts } from '../texts/language.ts';
import css from './not-found.module.css';
import { usePageTitle } from './page-title.ts';
import { en } from './shell/texts.en.ts';
import { zh } from './shell/texts.zh.ts';

export function NotFound() {
  const { notFound: t } = useTexts({ en, zh });
  return (
    <Whole title={t.title}>
      <Empty title={t.title} action={<LinkButton to="/">{t.back}</LinkButton>}>
        {t.text}
      </Empty>
    </Whole>
  );
}

/** A page whose program failed. The others still work. */
export function Broken() {
  const { broken: t } = useTexts({ en, zh });
  return (
    <Whole title={t.title}>
      <Empty title={t.title} action={<Button onClick={() => window.location.reload()}>{t.again}</Button>}>
        {t.text}
      </Empty>
    </Whole>
  );
}

/** In the middle of a window without places. */
function Whole({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  usePageTitle(title);
  return (
    <div className={css.whole}>
      <a className={css.brand} href="/">
        <Brand />
        Tollgate
      </a>
      <main id="main">{children}</main>
    </div>
  );
}
