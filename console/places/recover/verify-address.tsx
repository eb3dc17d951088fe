import { useState } from 'react';
import { type ApiError, callApi, hasSession } from '../../api/api.ts';
import { queries } from '../../api/queries.ts';
import { useLinkHash } from '../../app/link-hash.ts';
import { Button, LinkButton } from '../../parts/button.tsx';
import { Banner } from '../../parts/page/banner.tsx';
import { useTexts } from '../../texts/language.ts';
import { EntryPage } from '../signin/entry-page.tsx';
import css from '../signin/signin.module.css';
import { useEntry } from '../signin/use-entry.ts';
import { isSpent } from './is-spent.ts';
import { en } from './texts.en.ts';
import { zh } from './texts.zh.ts';

/**
 * The page of a mailed link: confirms an address, once. It asks for a click, because programs that look into
 * mails open their links too.
 */
export function VerifyAddress() {
  const { verify: t } = useTexts({ en, zh });
  const token = useLinkHash('/verify-address');
  const [state, setState] = useState<{ readonly of: string; readonly is: 'done' | 'spent' }>();
  const now = token === '' ? 'spent' : state?.of === token ? state.is : 'open';
  if (now === 'open') {
    return (
      <EntryPage title={t.title} lead={t.lead}>
        <Form token={token} onEnd={(is) => setState({ of: token, is })} />
      </EntryPage>
    );
  }
  const [title, lead] = now === 'done' ? [t.doneTitle, t.done] : [t.spentTitle, t.spent];
  return (
    <EntryPage title={title} lead={lead}>
      <Onward />
    </EntryPage>
  );
}

function Onward() {
  const { verify: t, signIn } = useTexts({ en, zh });
  if (hasSession()) {
    return (
      <LinkButton to="/notifications" variant="primary" size="lg" block>
        {t.notifications}
      </LinkButton>
    );
  }
  return (
    <LinkButton to="/signin" search={{ next: '/notifications' }} variant="primary" size="lg" block>
      {signIn}
    </LinkButton>
  );
}

interface FormProps {
  readonly token: string;
  readonly onEnd: (how: 'done' | 'spent') => void;
}

function Form({ token, onEnd }: FormProps) {
  const t = useTexts({ en, zh });
  const { error, isPending, submit } = useEntry(async () => {
    await callApi('confirmAddress', { body: { token } }).catch((caught: ApiError) => {
      if (isSpent(caught)) onEnd('spent');
      throw caught;
    });
    queries.removeQueries({ queryKey: ['getAlertSettings'] });
    onEnd('done');
  });
  return (
    <form className={css.form} onSubmit={submit}>
      {error !== undefined && <Banner tone="warn">{t.refused(error)}</Banner>}
      <Button type="submit" variant="primary" size="lg" block autoFocus pending={isPending}>
        {t.verify.submit}
      </Button>
    </form>
  );
}
