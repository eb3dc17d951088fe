import { type ChangeEvent, type FormEvent, useRef, useState } from 'react';
import { type ApiError, callApi } from '../../../../api/api.ts';
import { Button } from '../../../../parts/button.tsx';
import { Field } from '../../../../parts/form/field.tsx';
import { NumberInput } from '../../../../parts/form/input.tsx';
import { Drawer } from '../../../../parts/overlay/drawer.tsx';
import { Banner } from '../../../../parts/page/banner.tsx';
import { Stack } from '../../../../parts/page/layout.tsx';
import { Bad, Cut, Dim, Mono, Row } from '../../../../parts/text/text.tsx';
import css from '../catalogue.module.css';
import {
  type Entry,
  entriesOf,
  findEntry,
  isSame,
  keyOf,
  readDocument,
  withField,
} from '../changes/document.ts';
import type { CataloguePageProps } from '../types.ts';
import type { Catalogue } from '../use-catalogue.ts';
import { type Read, ReadPrices } from './read-prices.tsx';
import { useImportTexts } from './texts.ts';

/** What a request to the server may have, with room for what JSON adds to a text. */
const FILE_BYTES_MAX = 2_500_000;

interface Typed {
  readonly name: string;
  readonly text: string;
  readonly rate: string;
  readonly margin: string;
}

const NOTHING: Typed = { name: '', text: '', rate: '', margin: '1' };

interface State {
  readonly pending?: boolean;
  readonly read?: Read;
  readonly error?: ApiError;
}

function useRead() {
  const [state, setState] = useState<State>({});
  const run = async ({ text, rate, margin }: Typed) => {
    setState({ pending: true });
    try {
      const body = { text, ...(rate !== '' && { rate }), ...(margin !== '' && { margin }) };
      setState({ read: (await callApi('readFileOfPrices', { body })).data });
    } catch (error) {
      setState({ error: error as ApiError });
    }
  };
  return { ...state, run, forget: () => setState({}) };
}

interface PriceChange {
  readonly key: string;
  readonly entry: Entry;
}

/** The models of the draft whose prices the file changes. */
function changesOf({ document }: Catalogue, { yaml }: Read): readonly PriceChange[] {
  return entriesOf(readDocument(yaml), 'models').flatMap((model) => {
    const key = keyOf('models', model);
    const now = findEntry(document, 'models', key);
    const entry = now && withField(now, 'prices', model.prices, {});
    return now === undefined || entry === undefined || isSame(now, entry) ? [] : [{ key, entry }];
  });
}

/** Prices of a file become changes, which show what they would have brought before they are applied. */
export function ImportPrices({ page }: { readonly page: CataloguePageProps }) {
  const t = useImportTexts();
  const { catalogue, onSearch } = page;
  const [typed, setTyped] = useState(NOTHING);
  const { pending = false, read, error, run, forget } = useRead();
  const changes = read === undefined ? [] : changesOf(catalogue, read);
  const close = () => onSearch({ prices: undefined }, { replace: true });
  const set = (change: Partial<Typed>) => {
    setTyped({ ...typed, ...change });
    forget();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (read === undefined) {
      if (typed.text !== '' && !pending) void run(typed);
      return;
    }
    for (const { key, entry } of changes) catalogue.put('models', key, entry);
    onSearch({ prices: undefined, changes: 'open' }, { replace: true });
  };
  const isReady = read === undefined ? typed.text !== '' : changes.length > 0;
  return (
    <Drawer
      {...{ label: t.title, title: t.title, onClose: close, size: 'narrow' }}
      foot={
        <div className={css.footRow}>
          <Button onClick={close}>{t.cancel}</Button>
          <Button variant="primary" type="submit" form="import-prices" {...{ pending, disabled: !isReady }}>
            {read === undefined ? t.read : changes.length === 0 ? t.same : t.add(changes.length)}
          </Button>
        </div>
      }
    >
      <form id="import-prices" className={css.form} onSubmit={submit}>
        <Stack gap={16}>
          <Banner tone="info">{t.lead}</Banner>
          <FileField {...{ typed, set }} />
          <Field label={t.rate} help={t.rateHelp}>
            <NumberInput
              decimals
              value={typed.rate}
              onChange={(event) => set({ rate: event.target.value })}
            />
          </Field>
          <Field label={t.margin} help={t.marginHelp}>
            <NumberInput
              decimals
              value={typed.margin}
              onChange={(event) => set({ margin: event.target.value })}
            />
          </Field>
          {error !== undefined && <Banner tone="bad">{error.message}</Banner>}
          {read !== undefined && <ReadPrices read={read} />}
        </Stack>
      </form>
    </Drawer>
  );
}

interface FileFieldProps {
  readonly typed: Typed;
  readonly set: (change: Partial<Typed>) => void;
}

function FileField({ typed, set }: FileFieldProps) {
  const t = useImportTexts();
  const input = useRef<HTMLInputElement>(null);
  const [isTooLarge, setTooLarge] = useState(false);
  const choose = async ({ target }: ChangeEvent<HTMLInputElement>) => {
    const [file] = target.files ?? [];
    if (file === undefined) return;
    setTooLarge(file.size > FILE_BYTES_MAX);
    const text = file.size > FILE_BYTES_MAX ? '' : await file.text();
    // The same file may be chosen again after it was mended.
    target.value = '';
    set({ name: file.name, text });
  };
  return (
    <Stack gap={8}>
      <input
        ref={input}
        {...{ type: 'file', accept: '.json,.yaml,.yml', hidden: true, 'aria-label': t.file }}
        onChange={(event) => void choose(event)}
      />
      <Row>
        <Button icon="clip" onClick={() => input.current?.click()}>
          {t.choose}
        </Button>
        {typed.name !== '' && (
          <Cut>
            <Mono>{typed.name}</Mono>
          </Cut>
        )}
      </Row>
      <small>{isTooLarge ? <Bad>{t.tooLarge}</Bad> : <Dim>{t.fileHelp}</Dim>}</small>
    </Stack>
  );
}
