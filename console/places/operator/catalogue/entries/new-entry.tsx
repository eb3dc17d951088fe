import { useState } from 'react';
import { useApi } from '../../../../api/api.ts';
import { type ServerTimes, useServerTimes } from '../../../../app/server-time.ts';
import { Button } from '../../../../parts/button.tsx';
import { addressOf, type CloudDraft, cloudOf, NO_CLOUD } from '../../../../parts/cloud/cloud-draft.ts';
import { CloudFields } from '../../../../parts/cloud/cloud-fields.tsx';
import { Field } from '../../../../parts/form/field.tsx';
import { Input } from '../../../../parts/form/input.tsx';
import { Select } from '../../../../parts/form/select.tsx';
import { Drawer } from '../../../../parts/overlay/drawer.tsx';
import { Stack } from '../../../../parts/page/layout.tsx';
import css from '../catalogue.module.css';
import { type Document, type Entry, findEntry, KEYS, keyOf, nextId } from '../changes/document.ts';
import { useCatalogueTexts } from '../texts.ts';
import type { CataloguePageProps } from '../types.ts';
import { EntryForm, type FormKind } from './forms.tsx';

const WEEK_MS = 7 * 86_400_000;
const MINUTE_MS = 60_000;

function blank(kind: FormKind, document: Document, { write }: ServerTimes): Entry {
  const nowMs = Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS;
  if (kind === 'announcements') {
    const times = { starts_at: write(nowMs), ends_at: write(nowMs + WEEK_MS) };
    return { id: nextId(document, kind), title: '', ...times };
  }
  if (kind === 'policies') return { id: nextId(document, kind), name: '', concurrency: 10 };
  if (kind === 'plans') return { code: '', level: 1 };
  return kind === 'vendors' ? { code: '', protocols: ['chat'], base_url: '' } : { [KEYS[kind]]: '' };
}

const NO_ERRORS: ReadonlyMap<string, string> = new Map();

interface NewEntryProps {
  readonly page: CataloguePageProps;
  readonly section: FormKind;
}

/** A new entry. It becomes a part of the draft when it is added. */
export function NewEntry({ page, section }: NewEntryProps) {
  const t = useCatalogueTexts();
  const { catalogue, onSearch } = page;
  const times = useServerTimes();
  const [entry, setEntry] = useState(() => blank(section, catalogue.document, times));
  const [isTried, setTried] = useState(false);
  const key = keyOf(section, entry).trim();
  const isNamed = section !== 'policies' && section !== 'announcements';
  const isTaken = findEntry(catalogue.document, section, key) !== undefined;
  const missing = key === '' ? t.required : isTaken ? t.taken : undefined;
  const title =
    section === 'policies' || section === 'announcements'
      ? entry[section === 'policies' ? 'name' : 'title']
      : key;
  const wrong = missing ?? (String(title ?? '').trim() === '' ? t.required : undefined);
  const errors =
    isTried && wrong !== undefined && !isNamed
      ? new Map([[section === 'policies' ? 'name' : 'title', wrong]])
      : NO_ERRORS;
  const close = () => onSearch({ add: undefined }, { replace: true });
  const add = () => {
    setTried(true);
    if (wrong !== undefined) return;
    catalogue.put(section, key, { ...entry, ...(isNamed && { [KEYS[section]]: key }) });
    onSearch({ add: undefined, changes: 'open', ...(section === 'models' && { model: key }) });
  };
  return (
    <Drawer
      {...{ label: t.sections[section].add, title: t.sections[section].add, onClose: close }}
      size={section === 'policies' ? 'wide' : 'narrow'}
      foot={
        <div className={css.footRow}>
          <Button onClick={close}>{t.cancel}</Button>
          <Button variant="primary" onClick={add}>
            {t.addToChanges}
          </Button>
        </div>
      }
    >
      <div className={css.newEntry}>
        <Stack gap={16}>
          {section === 'vendors' && <Presets onChoose={setEntry} />}
          {isNamed && (
            <Field label={t.keys[section]} error={isTried ? missing : undefined} help={t.keyHelp}>
              <Input
                mono
                value={String(entry[KEYS[section]] ?? '')}
                onChange={(event) => setEntry({ ...entry, [KEYS[section]]: event.target.value })}
              />
            </Field>
          )}
        </Stack>
        <EntryForm kind={section} form={{ page, entry, before: undefined, errors, onChange: setEntry }} />
      </div>
    </Drawer>
  );
}

/** Well-known vendors. One with several addresses is several vendors; a cloud asks where it is. */
function Presets({ onChoose }: { readonly onChoose: (entry: Entry) => void }) {
  const t = useCatalogueTexts();
  const [chosen, setChosen] = useState('');
  const [draft, setDraft] = useState(NO_CLOUD);
  const presets = useApi('listVendorPresets', {}).data?.data ?? [];
  const all = presets.flatMap(({ code, name, addresses, cloud }) =>
    addresses
      .filter(({ when }) => when === null)
      .map(({ protocols, base_url }, at, { length }) => ({
        value: `${code} ${at}`,
        label: length === 1 ? name : `${name} (${protocols.join(', ')})`,
        entry: {
          ...{ code: at === 0 ? code : `${code}-${protocols[0]}`, name, protocols },
          ...(cloud === null ? { base_url } : { base_url: '', cloud: { kind: cloud.kind } }),
        },
      })),
  );
  const preset = presets.find(({ code, cloud }) => cloud !== null && chosen === `${code} 0`);
  const place = (changed: CloudDraft): void => {
    setDraft(changed);
    if (preset === undefined) return;
    const { code, name } = preset;
    const cloud = cloudOf(preset, changed.fields);
    onChoose({ code, name, ...addressOf(preset, changed.fields), cloud });
  };
  return (
    <>
      <Field label={t.vendor.preset} help={t.vendor.presetHelp}>
        <Select
          value={chosen}
          onChange={(value) => {
            setChosen(value);
            setDraft(NO_CLOUD);
            const found = all.find((each) => each.value === value);
            if (found !== undefined) onChoose(found.entry);
          }}
          options={[{ value: '', label: t.vendor.noPreset }, ...all]}
        />
      </Field>
      {preset?.cloud != null && (
        <CloudFields {...{ cloud: preset.cloud, draft, onChange: place }} hasAddress={false} />
      )}
    </>
  );
}
