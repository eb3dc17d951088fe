import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useApiWrite } from '../../api/api.ts';
import { useCrumb } from '../../app/crumb.ts';
import { Button } from '../../parts/button.tsx';
import { FactList } from '../../parts/figures/facts.tsx';
import { SwitchRow } from '../../parts/form/choice.tsx';
import { Drawer, DrawerSection } from '../../parts/overlay/drawer.tsx';
import { ErrorNote } from '../../parts/page/error-note.tsx';
import { Mono, Sub } from '../../parts/text/text.tsx';
import { Time } from '../../parts/text/time.tsx';
import { useTexts } from '../../texts/language.ts';
import { stateOf } from './columns.tsx';
import type { Key } from './data.ts';
import { errorsOf, expiresAt, type KeyDraft, KeyFields } from './key-fields.tsx';
import css from './keys.module.css';
import { KeySnippets } from './made-key.tsx';
import { en } from './texts.en.ts';
import { zh } from './texts.zh.ts';

export interface EditKeyProps {
  readonly shown: Key;
  readonly onClose: () => void;
  readonly onDelete: (key: Key) => void;
}

function draftOf({ name, policy_id: policy, expires_at: expires }: Key): KeyDraft {
  return {
    name,
    policy: policy === null ? '' : String(policy),
    expiry: expires === null ? 'never' : 'date',
    date: expires?.slice(0, 10) ?? '',
  };
}

/** Only what was changed: an expiry that was not touched keeps its hour. */
function changesOf(before: KeyDraft, draft: KeyDraft) {
  const isNewExpiry = before.expiry !== draft.expiry || before.date !== draft.date;
  return {
    ...(before.name !== draft.name && { name: draft.name.trim() }),
    ...(before.policy !== draft.policy && { policy_id: draft.policy === '' ? null : Number(draft.policy) }),
    ...(isNewExpiry && { expires_at: expiresAt(draft) }),
  };
}

export function EditKey({ shown, onClose, onDelete }: EditKeyProps) {
  const t = useTexts({ en, zh });
  useCrumb(shown.name);
  const state = stateOf(shown);
  return (
    <Drawer
      label={t.keyNamed(shown.name)}
      title={shown.name}
      onClose={onClose}
      foot={
        <>
          <Button variant="danger" onClick={() => onDelete(shown)}>
            {t.delete}
          </Button>
          <Button className={css.last} onClick={onClose}>
            {t.done}
          </Button>
        </>
      }
    >
      <DrawerSection>
        <FactList
          facts={[
            { name: t.prefix, value: <Mono>{`${shown.prefix}…`}</Mono> },
            { name: t.state, value: t.states[state] },
            { name: t.created, value: <Time at={shown.created_at} /> },
            {
              name: t.columns.used,
              value: shown.last_used_at === null ? t.notYet : <Time at={shown.last_used_at} />,
            },
          ]}
        />
      </DrawerSection>
      <EditForm shown={shown} />
      <DrawerSection title={t.test}>
        <p className={css.text}>
          <Sub>{t.testNeedsKey}</Sub>{' '}
          <Link to="/calls" search={{ key_id: shown.id }}>
            {t.itsCalls}
          </Link>
        </p>
      </DrawerSection>
      <KeySnippets value={`${shown.prefix}…`} note={t.prefixOnly} />
    </Drawer>
  );
}

function EditForm({ shown }: { readonly shown: Key }) {
  const t = useTexts({ en, zh });
  const before = draftOf(shown);
  const [draft, setDraft] = useState(before);
  const write = useApiWrite('updateKey', ['listKeys']);
  const toggle = useApiWrite('updateKey', ['listKeys']);
  const changes = changesOf(before, draft);
  const errors = errorsOf(write.error?.code === 1001 ? write.error.message : undefined);
  const failed = write.error ?? toggle.error;
  return (
    <DrawerSection>
      <form
        className={css.fields}
        onSubmit={(event) => {
          event.preventDefault();
          if (!write.isPending) write.mutate({ body: { id: shown.id, ...changes } });
        }}
      >
        <SwitchRow
          label={t.mayBeUsed}
          checked={shown.status === 'enabled'}
          disabled={toggle.isPending}
          onChange={(isOn) =>
            toggle.mutate({ body: { id: shown.id, status: isOn ? 'enabled' : 'disabled' } })
          }
        />
        <KeyFields draft={draft} onChange={setDraft} errors={errors} />
        {failed !== null && Object.keys(errors).length === 0 && !failed.isNotLoggedIn && (
          <ErrorNote cause={t.notChanged(shown.name)} remedy={failed.message} requestId={failed.requestId} />
        )}
        <div className={css.buttons}>
          <Button
            type="submit"
            variant="primary"
            pending={write.isPending}
            disabled={Object.keys(changes).length === 0}
          >
            {t.save}
          </Button>
        </div>
      </form>
    </DrawerSection>
  );
}
