import { useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { MessageDialog } from './message-dialog.tsx';

export interface AskOperatorProps {
  /** On the button and above the dialog. */
  readonly title: string;
  /** What the message says before anything is typed. */
  readonly message: string;
}

/** A button that writes to the operator. */
export function AskOperator({ title, message }: AskOperatorProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button size="sm" onClick={() => setOpen(true)}>
        {title}
      </Button>
      <MessageDialog title={title} open={isOpen} onClose={() => setOpen(false)} message={message} />
    </>
  );
}
