import { useApi, useApiWrite } from '../../../../api/api.ts';
import { Button } from '../../../../parts/button.tsx';
import { Segmented } from '../../../../parts/form/segmented.tsx';
import { Drawer, DrawerSection } from '../../../../parts/overlay/drawer.tsx';
import { Banner } from '../../../../parts/page/banner.tsx';
import { Empty } from '../../../../parts/page/empty.tsx';
import { duration, written } from '../../../../parts/text/format.ts';
import css from '../catalogue.module.css';
import { type Entry, findEntry } from '../changes/document.ts';
import { useChangeCount } from '../changes/what-it-does.tsx';
import { useCatalogueTexts } from '../texts.ts';
import type { CataloguePageProps } from '../types.ts';
import { problemsOf } from '../use-catalogue.ts';
import { CredentialHealth, useCredentialStates } from './credentials.tsx';
import { type EntryState, type ListKind, StatePill } from './entry-list.tsx';
import { EntryYaml } from './entry-yaml.tsx';
import { EntryForm } from './forms.tsx';
import { NewSecret } from './new-secret.tsx';

interface EntryDrawerProps {
  readonly page: CataloguePageProps;
  readonly section: ListKind;
  readonly entryKey: string;
}

const NOT_THERE: Entry = {};

/** One entry as a form or as YAML. What is changed goes to the draft. */
export function EntryDrawer({ page, section, entryKey }: EntryDrawerProps) {
  const t = useCatalogueTexts();
  const { catalogue, search, onSearch } = page;
  const entry = findEntry(catalogue.document, section, entryKey);
  const before = findEntry(catalogue.base, section, entryKey);
  const close = () => onSearch({ edit: undefined, view: undefined }, { replace: true });
  const errors = problemsOf(catalogue, page.comparison?.problems, { kind: section, key: entryKey });
  const title = String(
    (entry ?? before ?? NOT_THERE).name ?? (entry ?? before ?? NOT_THERE).title ?? entryKey,
  );
  const isEdited = catalogue.edits.some(({ kind, key }) => kind === section && key === entryKey);
  const state: EntryState = !isEdited
    ? 'same'
    : before === undefined
      ? 'new'
      : entry === undefined
        ? 'removed'
        : 'changed';
  const isPolicy = section === 'policies';
  return (
    <Drawer
      {...{ label: title, onClose: close, size: isPolicy ? 'wide' : 'narrow' }}
      title={
        <>
          <span>{title}</span> <StatePill state={state} />
        </>
      }
      actions={
        entry !== undefined && (
          <Segmented
            {...{ label: t.view, size: 'sm', value: search.view ?? 'form' }}
            onChange={(view) => onSearch({ view: view === 'yaml' ? 'yaml' : undefined }, { replace: true })}
            options={[
              { value: 'form', label: t.form },
              { value: 'yaml', label: 'YAML' },
            ]}
          />
        )
      }
      foot={<Foot {...{ page, section, entryKey }} isThere={entry !== undefined} isEdited={isEdited} />}
    >
      {entry === undefined ? (
        <Empty plain title={before === undefined ? t.notThere : t.removedTitle}>
          {before === undefined ? t.notThereText : t.removedText}
        </Empty>
      ) : search.view === 'yaml' ? (
        <EntryYaml {...{ page, kind: section, entryKey }} />
      ) : (
        <>
          {section === 'credentials' && before !== undefined && <CredentialState name={entryKey} />}
          <EntryForm
            kind={section}
            form={{ page, entry, before, errors, onChange: (next) => catalogue.put(section, entryKey, next) }}
          />
        </>
      )}
    </Drawer>
  );
}

interface FootProps extends EntryDrawerProps {
  readonly isThere: boolean;
  readonly isEdited: boolean;
}

function Foot({ page, section, entryKey, isThere, isEdited }: FootProps) {
  const t = useCatalogueTexts();
  const { catalogue, onSearch } = page;
  const number = useChangeCount(page);
  const before = findEntry(catalogue.base, section, entryKey) ?? null;
  return (
    <div className={css.footRow}>
      {isThere && (
        <Button variant="danger" onClick={() => catalogue.put(section, entryKey, null)}>
          {t.remove}
        </Button>
      )}
      {isEdited && (
        <Button icon="undo" onClick={() => catalogue.put(section, entryKey, before)}>
          {t.undo}
        </Button>
      )}
      <Button
        variant="primary"
        disabled={catalogue.edits.length === 0}
        onClick={() => onSearch({ changes: 'open', edit: undefined, view: undefined })}
      >
        {t.changes.review(number)}
      </Button>
    </div>
  );
}

/** The health of a credential, a test, and a new secret. These act at once. */
function CredentialState({ name }: { readonly name: string }) {
  const t = useCatalogueTexts();
  const state = useCredentialStates()?.get(name);
  const shown = useApi('listCredentials', { query: { search: name } }).data?.data.find(
    (each) => each.name === name,
  );
  const test = useApiWrite('testPlatformCredential', []);
  const result = test.data?.data;
  if (shown === undefined) return null;
  return (
    <DrawerSection title={t.health.title} note={t.actsAtOnce}>
      <div className={css.credential}>
        <CredentialHealth state={state} />
        <Button
          {...{ size: 'sm', icon: 'bolt', pending: test.isPending }}
          onClick={() => test.mutate({ params: { id: shown.id }, body: {} })}
        >
          {t.testNow}
        </Button>
      </div>
      {result !== undefined && (
        <Banner tone={result.ok ? 'info' : 'bad'}>
          {result.ok
            ? t.tried.works(written(duration(result.duration_ms)))
            : t.tried.fails(result.status, result.message ?? '')}
        </Banner>
      )}
      {test.isError && <Banner tone="bad">{test.error.message}</Banner>}
      <NewSecret id={shown.id} shown={shown.secret} />
    </DrawerSection>
  );
}
