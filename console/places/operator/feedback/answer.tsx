import { useState } from 'react';
import { type Row as RowOf, useApiWrite } from '../../../api/api.ts';
import { Button } from '../../../parts/button.tsx';
import { Field } from '../../../parts/form/field.tsx';
import { Textarea } from '../../../parts/form/input.tsx';
import { showToast } from '../../../parts/overlay/toast.tsx';
import { Stack } from '../../../parts/page/layout.tsx';
import { Row } from '../../../parts/text/text.tsx';
import { Time } from '../../../parts/text/time.tsx';
import { useTexts } from '../../../texts/language.ts';
import { WriteError } from '../shared.tsx';
import css from './feedback.module.css';
import { en } from './texts.en.ts';
import { zh } from './texts.zh.ts';

type Message = RowOf<'listFeedback'>;

const LENGTH_MAX = 2_000;
const CHANGED = ['listFeedback', 'listSentFeedback', 'getOverview', 'listAuditEntries'] as const;

/** What its author reads. */
export function Given({ message: { answer, answered_at: at } }: { readonly message: Message }) {
  const t = useTexts({ en, zh });
  return (
    <div className={css.given}>
      <div className={css.head}>
        <b>{t.ourAnswer}</b>
        {at !== null && <Time at={at} />}
      </div>
      <p className={css.text}>{answer}</p>
    </div>
  );
}

interface AnswerFormProps {
  readonly message: Message;
  readonly onClose: () => void;
}

/** An answer also marks the feedback as done. An empty text takes the answer back. */
export function AnswerForm({ message: { id, answer, email }, onClose }: AnswerFormProps) {
  const t = useTexts({ en, zh });
  const [text, setText] = useState(answer ?? '');
  const write = useApiWrite('updateFeedback', CHANGED);
  const typed = text.trim();
  const canSend = typed !== (answer ?? '') && !write.isPending;
  const send = () =>
    write.mutate(
      { params: { id }, body: typed === '' ? { answer: null } : { answer: typed, status: 'done' } },
      {
        onSuccess: () => {
          onClose();
          showToast({ text: typed === '' ? t.takenBack : t.answered });
        },
      },
    );
  return (
    <form
      noValidate
      className={css.form}
      onSubmit={(event) => {
        event.preventDefault();
        if (canSend) send();
      }}
    >
      <Stack>
        <Field label={t.yourAnswer} help={t.answerHelp(email ?? '')}>
          <Textarea
            autoFocus
            rows={4}
            maxLength={LENGTH_MAX}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        </Field>
        <WriteError error={write.error} />
        <Row>
          <Button size="sm" variant="primary" type="submit" disabled={!canSend} pending={write.isPending}>
            {typed === '' && answer !== null ? t.takeBack : t.send}
          </Button>
          <Button size="sm" variant="ghost" onClick={onClose}>
            {t.cancel}
          </Button>
        </Row>
      </Stack>
    </form>
  );
}
