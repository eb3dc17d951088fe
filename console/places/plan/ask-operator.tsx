import { useState } from 'react';
import { useApiWrite } from '../../api/api.ts';
import { useProfile } from '../../app/session.ts';
import { Button } from '../../parts/button.tsx';
import { Field } from '../../parts/form/field.tsx';
import { Textarea } from '../../parts/form/input.tsx';
import { Dialog } from '../../parts/overlay/dialog.tsx';
import { showToast } from '../../parts/overlay/toast.tsx';
import { useTexts } from '../../texts/language.ts';
import { en } from './texts.en.ts';
import { zh } from './texts.zh.ts';

export interface AskOperatorProps {
  /** On the button and above the dialog. */
  readonly title: string;
  /** What the message says before anything is typed. */
  readonly message: string;
}

const LENGTH_MAX = 1_800;
const TOO_MANY = 429;

/** A button that writes to the operator. What was typed stays until it is sent. */
export function AskOperator({ title, message }: AskOperatorProps) {
  const t = useTexts({ en, zh }).ask;
  const email = useProfile()?.email;
  const [isOpen, setOpen] = useState(false);
  const [text, setText] = useState(message);
  const send = useApiWrite('sendFeedback', ['listSentFeedback']);
  const close = () => setOpen(false);
  const submit = () =>
    send.mutate(
      { body: { content: text.trim(), ...(email !== undefined && { contact: email }) } },
      {
        onSuccess: () => {
          close();
          setText(message);
          showToast({ text: t.sent });
        },
      },
    );
  const error = send.error === null ? undefined : send.error.status === TOO_MANY ? t.tooSoon : t.failed;
  return (
    <>
      <Button size="sm" onClick={() => setOpen(true)}>
        {title}
      </Button>
      <Dialog
        open={isOpen}
        onClose={close}
        onSubmit={() => text.trim() !== '' && !send.isPending && submit()}
        title={title}
        foot={
          <>
            <Button variant="ghost" onClick={close}>
              {t.cancel}
            </Button>
            <Button variant="primary" type="submit" disabled={text.trim() === ''} pending={send.isPending}>
              {t.send}
            </Button>
          </>
        }
      >
        <Field label={t.label} help={t.help} error={error}>
          <Textarea
            rows={4}
            maxLength={LENGTH_MAX}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        </Field>
      </Dialog>
    </>
  );
}
