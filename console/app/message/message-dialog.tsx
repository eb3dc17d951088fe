import { useState } from 'react';
import { useApiWrite } from '../../api/api.ts';
import { Button } from '../../parts/button.tsx';
import { Field } from '../../parts/form/field.tsx';
import { Textarea } from '../../parts/form/input.tsx';
import { Dialog } from '../../parts/overlay/dialog.tsx';
import { showToast } from '../../parts/overlay/toast.tsx';
import { Mono } from '../../parts/text/text.tsx';
import { useTexts } from '../../texts/language.ts';
import { useProfile } from '../session.ts';
import { en } from './texts.en.ts';
import { zh } from './texts.zh.ts';

export interface MessageDialogProps {
  readonly title: string;
  readonly open: boolean;
  readonly onClose: () => void;
  /** What the message says before anything is typed. */
  readonly message?: string;
  /** The request id of the call that the message is about. */
  readonly call?: string;
}

const LENGTH_MAX = 1_800;
const TOO_MANY = 429;

/** A message to the operator. What was typed stays until it is sent. */
export function MessageDialog({ title, open, onClose, message = '', call }: MessageDialogProps) {
  const t = useTexts({ en, zh });
  const email = useProfile()?.email;
  const [text, setText] = useState(message);
  const send = useApiWrite('sendFeedback', ['listSentFeedback']);
  const isEmpty = text.trim() === '';
  const content = call === undefined ? text.trim() : t.aboutCall(text.trim(), call);
  const submit = () =>
    send.mutate(
      { body: { content, ...(email !== undefined && { contact: email }) } },
      {
        onSuccess: () => {
          setText(message);
          onClose();
          showToast({ text: t.sent });
        },
      },
    );
  const error = send.error === null ? undefined : send.error.status === TOO_MANY ? t.tooSoon : t.failed;
  return (
    <Dialog
      open={open}
      onClose={onClose}
      onSubmit={() => !isEmpty && !send.isPending && submit()}
      title={title}
      foot={
        <>
          <Button variant="ghost" onClick={onClose}>
            {t.cancel}
          </Button>
          <Button variant="primary" type="submit" disabled={isEmpty} pending={send.isPending}>
            {t.send}
          </Button>
        </>
      }
    >
      {call !== undefined && (
        <p>
          <Mono>{call}</Mono>
        </p>
      )}
      <Field
        label={call === undefined ? t.label : t.labelCall}
        help={call === undefined ? t.help : t.helpCall}
        error={error}
      >
        <Textarea
          rows={5}
          maxLength={LENGTH_MAX}
          placeholder={call === undefined ? undefined : t.placeholderCall}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      </Field>
    </Dialog>
  );
}
