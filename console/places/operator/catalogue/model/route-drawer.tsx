import { useState } from 'react';
import { PROTOCOLS } from '../../../../api/protocols.ts';
import { Button } from '../../../../parts/button.tsx';
import { Field } from '../../../../parts/form/field.tsx';
import { Select } from '../../../../parts/form/select.tsx';
import { Drawer } from '../../../../parts/overlay/drawer.tsx';
import { Stack } from '../../../../parts/page/layout.tsx';
import css from '../catalogue.module.css';
import { type Entry, entriesOf, findEntry, withField } from '../changes/document.ts';
import { EntryChoices, EntryField, type FormProps, StatusSwitch } from '../entries/fields.tsx';
import { routesOf } from '../models.tsx';
import { useCatalogueTexts } from '../texts.ts';
import type { CataloguePageProps } from '../types.ts';
import { routeKey, USUAL_PRIORITY } from './priorities.ts';

interface RouteDrawerProps {
  readonly page: CataloguePageProps;
  readonly modelId: string;
  /** Undefined: a new route. */
  readonly routeId?: string | undefined;
}

const NO_ERRORS: ReadonlyMap<string, string> = new Map();

/** One route of a model. */
export function RouteDrawer({ page, modelId, routeId }: RouteDrawerProps) {
  const t = useCatalogueTexts();
  const { catalogue, onSearch } = page;
  const model = findEntry(catalogue.document, 'models', modelId);
  const routes = routesOf(model ?? {});
  const stored = routes.find((each) => routeKey(each, modelId) === routeId);
  const [typed, setTyped] = useState<Entry>(stored ?? {});
  const close = () => onSearch({ add: undefined, edit: undefined }, { replace: true });
  if (model === undefined || (routeId !== undefined && stored === undefined)) return null;
  const key = routeKey(typed, modelId);
  const isTaken = key !== routeId && routes.some((each) => routeKey(each, modelId) === key);
  const save = () => {
    const next =
      stored === undefined ? [...routes, typed] : routes.map((each) => (each === stored ? typed : each));
    catalogue.put('models', modelId, withField(model, 'routes', next));
    onSearch({ add: undefined, edit: undefined, changes: 'open' });
  };
  const title = stored === undefined ? t.route.add : t.route.editOf(String(stored.credential));
  const form: FormProps = { page, entry: typed, before: stored, errors: NO_ERRORS, onChange: setTyped };
  return (
    <Drawer
      {...{ label: title, title, onClose: close, size: 'narrow' }}
      foot={
        <div className={css.footRow}>
          <Button onClick={close}>{t.cancel}</Button>
          <Button variant="primary" disabled={typed.credential === undefined || isTaken} onClick={save}>
            {t.addToChanges}
          </Button>
        </div>
      }
    >
      <RouteFields {...{ form, modelId, isTaken }} />
    </Drawer>
  );
}

interface RouteFieldsProps {
  readonly form: FormProps;
  readonly modelId: string;
  readonly isTaken: boolean;
}

function RouteFields({ form, modelId, isTaken }: RouteFieldsProps) {
  const t = useCatalogueTexts();
  const { entry, onChange, page } = form;
  const credentials = entriesOf(page.catalogue.document, 'credentials');
  const choose = (name: string) => {
    const vendor = credentials.find((each) => each.name === name)?.vendor;
    onChange({ ...entry, vendor, credential: name });
  };
  const none = { value: '', label: t.route.choose, disabled: true };
  return (
    <div className={css.form}>
      <Stack gap={16}>
        <Field label={t.route.credential} error={isTaken ? t.route.taken : undefined}>
          <Select
            value={String(entry.credential ?? '')}
            onChange={choose}
            options={[
              ...(entry.credential === undefined ? [none] : []),
              ...credentials.map((each) => ({
                value: String(each.name),
                label: `${each.name} (${each.vendor})`,
              })),
            ]}
          />
        </Field>
        <EntryField
          {...{ form, name: 'forward_model_id', label: t.route.forward, type: 'mono', usual: modelId }}
          help={t.route.forwardHelp}
        />
        <div className={css.three}>
          <EntryField
            {...{
              form,
              name: 'priority',
              label: t.route.priorityField,
              type: 'whole',
              usual: USUAL_PRIORITY,
              help: t.route.priorityHelp,
            }}
          />
          <EntryField {...{ form, name: 'weight', label: t.route.weight, type: 'whole', usual: 1 }} />
          <EntryField
            {...{ form, name: 'rate_multiplier', label: t.route.multiplier, type: 'amount', usual: '1' }}
            prefix="×"
            help={t.route.multiplierHelp(String(form.entry.rate_multiplier ?? '1'))}
          />
        </div>
        <EntryChoices
          {...{ form, name: 'protocols', label: t.route.protocols }}
          options={PROTOCOLS.map((value) => ({ value, label: value }))}
        />
        <StatusSwitch {...{ form, label: t.enabled }} />
      </Stack>
    </div>
  );
}
