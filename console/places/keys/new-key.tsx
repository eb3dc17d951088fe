import { useState } from 'react';
import { useApiWrite } from '../../api/api.ts';
import { useCrumb } from '../../app/crumb.ts';
import { Button } from '../../parts/button.tsx';
import { Checkbox } from '../../parts/form/choice.tsx';
import { Dialog } from '../../parts/overlay/dialog.tsx';
import { Drawer, DrawerSection } from '../../parts/overlay/drawer.tsx';
import { ErrorNote } from '../../parts/page/error-note.tsx';
import { useTexts } from '../../texts/language.ts';
import { errorsOf, expiresAt, KeyFields, NEW_DRAFT } from './key-fields.tsx';
import css from './keys.module.css';
import { type Made, MadeKey } from './made-key.tsx';
import { en } from './texts.en.ts';
import { zh } from './texts.zh.ts';

/** A drawer with the form; then with the key, this once. */
export function NewKey({ onClose }: { readonly onClose: () => void }) {
  const t = useTexts({ en, zh });
  const [made, setMade] = useState<Made>();
  const [isStored, setStored] = useState(false);
  const [isAsking, setAsking] = useState(false);
  useCrumb(t.newKey);
  const close = () => (made === undefined || isStored ? onClose() : setAsking(true));
  if (made === undefined) return <NewKeyForm onClose={onClose} onMade={setMade} />;
  return (
    <Drawer
      label={t.newKey}
      title={t.newKey}
      onClose={close}
      foot={
        <>
          <Checkbox checked={isStored} onChange={setStored}>
            {t.stored}
          </Checkbox>
          <Button className={css.last} variant="primary" disabled={!isStored} onClick={onClose}>
            {t.done}
          </Button>
        </>
      }
    >
      <MadeKey made={made} />
      <Dialog
        open={isAsking}
        onClose={() => setAsking(false)}
        title={t.closeAsk.title}
        foot={
          <>
            <Button variant="ghost" onClick={onClose}>
              {t.closeAsk.close}
            </Button>
            <Button variant="primary" onClick={() => setAsking(false)}>
              {t.closeAsk.back}
            </Button>
          </>
        }
      >
        <p>{t.closeAsk.text}</p>
      </Dialog>
    </Drawer>
  );
}

interface NewKeyFormProps {
  readonly onClose: () => void;
  readonly onMade: (made: Made) => void;
}

function NewKeyForm({ onClose, onMade }: NewKeyFormProps) {
  const t = useTexts({ en, zh });
  const [draft, setDraft] = useState(NEW_DRAFT);
  const write = useApiWrite('createKey', ['listKeys']);
  const errors = errorsOf(write.error?.code === 1001 ? write.error.message : undefined);
  const create = async (): Promise<void> => {
    const policy = draft.policy === '' ? null : Number(draft.policy);
    const body = { name: draft.name.trim(), policy_id: policy, expires_at: expiresAt(draft) };
    const { data } = await write.mutateAsync({ body });
    onMade(data);
  };
  return (
    <Drawer label={t.newKey} title={t.newKey} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (!write.isPending) void create().catch(() => {});
        }}
      >
        <DrawerSection>
          <div className={css.fields}>
            <KeyFields draft={draft} onChange={setDraft} errors={errors} />
            {write.error !== null && Object.keys(errors).length === 0 && !write.error.isNotLoggedIn && (
              <ErrorNote cause={t.notMade} remedy={write.error.message} requestId={write.error.requestId} />
            )}
            <div className={css.buttons}>
              <Button variant="ghost" onClick={onClose}>
                {t.cancel}
              </Button>
              <Button type="submit" variant="primary" pending={write.isPending}>
                {t.create}
              </Button>
            </div>
          </div>
        </DrawerSection>
      </form>
    </Drawer>
  );
}
