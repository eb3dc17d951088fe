import { useEffect, useId, useState } from 'react';
import { useApiWrite } from '../../../api/api.ts';
import { Button } from '../../../parts/button.tsx';
import { Checkbox } from '../../../parts/form/choice.tsx';
import { Input, NumberInput } from '../../../parts/form/input.tsx';
import { ErrorNote } from '../../../parts/page/error-note.tsx';
import { Step } from '../../../parts/page/steps.tsx';
import { type Column, Table } from '../../../parts/table/table.tsx';
import { Mono } from '../../../parts/text/text.tsx';
import { useTexts } from '../../../texts/language.ts';
import css from './first-run.module.css';
import { catalogueOf, isComplete, itemOf, newRow, type OfferRow, rowsOf, type StoredKey } from './offer.ts';
import { usePresets } from './presets.ts';
import { en } from './texts.en.ts';
import { zh } from './texts.zh.ts';

export interface ModelsStepProps {
  readonly stored: StoredKey | undefined;
  readonly rows: readonly OfferRow[] | undefined;
  readonly onRows: (rows: readonly OfferRow[]) => void;
  /** A model that can be called. */
  readonly offered: string | undefined;
  readonly onOffered: (model: string) => void;
}

export function ModelsStep({ stored, rows, onRows, offered, onOffered }: ModelsStepProps) {
  const { models: t } = useTexts({ en, zh });
  const { presets, guessedRate } = usePresets();
  useEffect(() => {
    if (stored === undefined || rows !== undefined || presets === undefined) return;
    onRows(
      rowsOf(
        presets.find(({ code }) => code === stored.preset),
        stored,
      ),
    );
  }, [stored, rows, presets, onRows]);
  if (offered !== undefined) {
    return (
      <Step number={3} state="done" title={t.title}>
        <p>{t.done(<b key="model">{offered}</b>)}</p>
      </Step>
    );
  }
  if (stored === undefined || rows === undefined) {
    return (
      <Step number={3} state="next" title={t.title}>
        <p>{t.later}</p>
      </Step>
    );
  }
  const picked = rows.filter(({ isOffered }) => isOffered).length;
  return (
    <Step number={3} state="on" title={t.title} right={t.picked(picked, rows.length)}>
      <p>
        {t.text} {guessedRate !== undefined && t.dollars(guessedRate)}
      </p>
      <OfferForm stored={stored} rows={rows} onRows={onRows} onOffered={onOffered} />
    </Step>
  );
}

type OfferFormProps = Omit<ModelsStepProps, 'offered'> & {
  readonly stored: StoredKey;
  readonly rows: readonly OfferRow[];
};

function OfferForm({ stored, rows, onRows, onOffered }: OfferFormProps) {
  const { models: t } = useTexts({ en, zh });
  const write = useApiWrite('applyCatalogueFile', ['listRoutes', 'listModels', 'listPrices']);
  const picked = rows.filter(({ isOffered }) => isOffered);
  const change = (row: OfferRow, part: Partial<OfferRow>): void =>
    onRows(rows.map((each) => (each === row ? { ...each, ...part } : each)));
  const offer = async (): Promise<void> => {
    await write.mutateAsync({ body: { yaml: catalogueOf(stored, rows), extent: 'part' } });
    const first =
      picked.find(({ forward }) => forward === stored.model) ??
      picked.find((row) => itemOf(row) === undefined);
    onOffered((first ?? picked[0])?.model ?? '');
  };
  return (
    <form
      className={css.offer}
      onSubmit={(event) => {
        event.preventDefault();
        if (!write.isPending) void offer().catch(() => {});
      }}
    >
      <Table
        label={t.title}
        columns={columnsOf(t, change)}
        rows={rows}
        rowKey={({ model }) => model}
        isOff={({ isOffered }) => !isOffered}
      />
      <OtherModel stored={stored} rows={rows} onRows={onRows} />
      {write.error !== null && (
        <ErrorNote cause={t.failed} remedy={write.error.message} requestId={write.error.requestId} />
      )}
      <div className={css.act}>
        <Button
          type="submit"
          variant="primary"
          pending={write.isPending}
          disabled={picked.length === 0 || !picked.every(isComplete)}
        >
          {t.offer(picked.length)}
        </Button>
        {!picked.every(isComplete) && <span>{t.incomplete}</span>}
      </div>
    </form>
  );
}

type OtherModelProps = Pick<OfferFormProps, 'stored' | 'rows' | 'onRows'>;

/** One more model, of those that the vendor lists or by its name. */
function OtherModel({ stored, rows, onRows }: OtherModelProps) {
  const { models: t } = useTexts({ en, zh });
  const { presets } = usePresets();
  const [typed, setTyped] = useState('');
  const listId = useId();
  const name = typed.trim();
  const isKnown = rows.some(({ model, forward }) => model === name || forward === name);
  const add = (): void => {
    const preset = presets?.find(({ code }) => code === stored.preset);
    onRows([...rows, newRow(preset, stored, name)]);
    setTyped('');
  };
  return (
    <div className={css.other}>
      <Input
        mono
        list={listId}
        aria-label={t.other}
        placeholder={t.other}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
      <datalist id={listId}>
        {stored.listed.map((each) => (
          <option key={each} value={each} />
        ))}
      </datalist>
      <Button disabled={name === '' || isKnown} onClick={add}>
        {t.add}
      </Button>
      {stored.listed.length > 0 && <span>{t.listed(stored.listed.length)}</span>}
    </div>
  );
}

type Change = (row: OfferRow, part: Partial<OfferRow>) => void;

function columnsOf(t: typeof en.models, change: Change): readonly Column<OfferRow>[] {
  const price = (row: OfferRow, field: 'input' | 'output' | 'image' | 'video' | 'rate') => (
    <NumberInput
      decimals
      className={css.price}
      aria-label={t.fields[field](row.model)}
      value={row[field]}
      onChange={(event) => change(row, { [field]: event.target.value.trim() })}
    />
  );
  return [
    {
      key: 'model',
      header: t.columns.model,
      cell: (row) => (
        <Checkbox
          checked={row.isOffered}
          onChange={(isOffered) => change(row, { isOffered })}
          aria-label={row.model}
        >
          <Mono>{row.model}</Mono>
        </Checkbox>
      ),
    },
    {
      ...{ key: 'input', header: t.columns.input, align: 'right' },
      cell: (row) => price(row, itemOf(row) ?? 'input'),
    },
    {
      ...{ key: 'output', header: t.columns.output, align: 'right' },
      cell: (row) => {
        const item = itemOf(row);
        return item === undefined ? price(row, 'output') : t.perItem[item];
      },
    },
    { key: 'rate', header: t.columns.rate, align: 'right', priority: 1, cell: (row) => price(row, 'rate') },
  ];
}
