import { useState } from 'react';
import { useApiWrite } from '../../../api/api.ts';
import { Button } from '../../../parts/button.tsx';
import { Field } from '../../../parts/form/field.tsx';
import { Textarea } from '../../../parts/form/input.tsx';
import { Dialog } from '../../../parts/overlay/dialog.tsx';
import { showToast } from '../../../parts/overlay/toast.tsx';
import { Mono } from '../../../parts/text/text.tsx';
import { useTexts } from '../../../texts/language.ts';
import { en } from '../texts.en.ts';
import { zh } from '../texts.zh.ts';

export interface ReportDialogProps {
  readonly requestId: string;
  readonly open: boolean;
  readonly onClose: () => void;
}

const LENGTH_MAX = 1_800;

/** Feedback about one call. What was typed stays until it is sent. */
export function ReportDialog({ requestId, open, onClose }: ReportDialogProps) {
  const t = useTexts({ en, zh }).report;
  const [text, setText] = useState('');
  const send = useApiWrite('sendFeedback', ['listSentFeedback']);
  const submit = () =>
    send.mutate(
      { body: { content: t.content(text.trim(), requestId) } },
      {
        onSuccess: () => {
          setText('');
          onClose();
          showToast({ text: t.sent });
        },
      },
    );
  const error = send.error === null ? undefined : send.error.status === 429 ? t.tooSoon : t.failed;
  return (
    <Dialog
      open={open}
      onClose={onClose}
      onSubmit={() => text.trim() !== '' && !send.isPending && submit()}
      title={t.title}
      foot={
        <>
          <Button variant="ghost" onClick={onClose}>
            {t.cancel}
          </Button>
          <Button variant="primary" type="submit" disabled={text.trim() === ''} pending={send.isPending}>
            {t.send}
          </Button>
        </>
      }
    >
      <p>
        <Mono>{requestId}</Mono>
      </p>
      <Field label={t.label} help={t.help} error={error}>
        <Textarea
          rows={5}
          maxLength={LENGTH_MAX}
          placeholder={t.placeholder}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      </Field>
    </Dialog>
  );
}
