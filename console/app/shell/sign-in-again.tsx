import { useState } from 'react';
import { sessionEnded } from '../../api/api.ts';
import { queries } from '../../api/queries.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/overlay/dialog.tsx';
import { SignInForm } from '../../places/signin/sign-in-form.tsx';
import { useTexts } from '../../texts/language.ts';
import { useProfile } from '../session.ts';
import { en } from './texts.en.ts';
import { zh } from './texts.zh.ts';

/**
 * The session has ended while its pages are open: they stay as they are, with what was typed in them. Escape
 * does not close it, because only a new session makes the page useful again.
 */
export default function SignInAgain() {
  const { ended: t } = useTexts({ en, zh });
  const known = useProfile()?.email;
  const [owner] = useState(known);
  const goOn = (email: string): void => {
    // Somebody else: nothing of the page before may be seen.
    if (owner !== undefined && email.toLowerCase() !== owner.toLowerCase()) {
      window.location.assign('/');
      return;
    }
    sessionEnded.write(false);
    void queries.invalidateQueries();
  };
  return (
    <Dialog open onClose={() => {}} title={t.title}>
      <p>{t.text}</p>
      <SignInForm email={owner} onSignedIn={goOn} />
      <Button variant="ghost" onClick={() => window.location.assign('/signin')}>
        {t.leave}
      </Button>
    </Dialog>
  );
}
