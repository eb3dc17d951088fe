import { Dialog as Base } from '@base-ui/react/dialog';
import { type FormEvent, type ReactNode, useState } from 'react';
import { Button } from '../button.tsx';
import { classes } from '../classes.ts';
import { Field } from '../form/field.tsx';
import { Input } from '../form/input.tsx';
import { usePartTexts } from '../texts.ts';
import styles from './dialog.module.css';

export interface DialogProps {
  readonly open: boolean;
  readonly onClose: () => void;
  readonly title: ReactNode;
  readonly children?: ReactNode;
  /** Buttons, the one that acts last. */
  readonly foot?: ReactNode;
  readonly wide?: boolean | undefined;
  /** Called on Enter: with it the content is a form and the acting button has `type="submit"`. */
  readonly onSubmit?: (() => void) | undefined;
}

/** For decisions. Detail opens in a Drawer. */
export function Dialog({ open, onClose, title, children, foot, wide, onSubmit }: DialogProps) {
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit?.();
  };
  const content = (
    <>
      <Base.Title className={styles.title}>{title}</Base.Title>
      {children}
      {foot !== undefined && <div className={styles.foot}>{foot}</div>}
    </>
  );
  return (
    <Base.Root open={open} onOpenChange={(next) => next || onClose()}>
      <Base.Portal>
        <Base.Backdrop className={styles.scrim} />
        <Base.Viewport className={styles.viewport}>
          <Base.Popup className={classes(styles.dialog, wide && styles.wide)}>
            {onSubmit === undefined ? (
              <div className={styles.content}>{content}</div>
            ) : (
              <form className={styles.content} onSubmit={submit} noValidate>
                {content}
              </form>
            )}
          </Base.Popup>
        </Base.Viewport>
      </Base.Portal>
    </Base.Root>
  );
}

export interface ConfirmByNameProps {
  readonly open: boolean;
  readonly onClose: () => void;
  readonly onConfirm: () => void;
  /** “Delete agent-prod?” */
  readonly title: ReactNode;
  /** What must be typed. */
  readonly name: string;
  /** The word on the button: “Delete”. */
  readonly action: string;
  readonly pending?: boolean | undefined;
  /** What follows from it. */
  readonly children: ReactNode;
}

/** A decision that destroys: the name of what is destroyed must be typed. */
export function ConfirmByName(props: ConfirmByNameProps) {
  const { open, onClose, onConfirm, title, name, action, pending, children } = props;
  const t = usePartTexts();
  const [typed, setTyped] = useState('');
  const right = typed.trim() === name;
  const close = () => {
    setTyped('');
    onClose();
  };
  return (
    <Dialog
      open={open}
      onClose={close}
      onSubmit={() => right && pending !== true && onConfirm()}
      title={title}
      foot={
        <>
          <Button variant="ghost" onClick={close}>
            {t.keep}
          </Button>
          <Button variant="solid" type="submit" disabled={!right} pending={pending}>
            {action}
          </Button>
        </>
      }
    >
      <p>{children}</p>
      <Field
        label={
          <>
            {t.typeBefore} <b className={styles.name}>{name}</b> {t.typeAfter}
          </>
        }
      >
        <Input
          mono
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
      </Field>
    </Dialog>
  );
}
