import { useState } from 'react';
import { type Store, useStore } from '../../app/store.ts';
import { Button } from '../../parts/button.tsx';
import { Switch, SwitchRow } from '../../parts/form/choice.tsx';
import { Field } from '../../parts/form/field.tsx';
import { Input, Textarea } from '../../parts/form/input.tsx';
import { Segmented } from '../../parts/form/segmented.tsx';
import { Slider } from '../../parts/form/slider.tsx';
import { Icon } from '../../parts/icons/icon.tsx';
import { count } from '../../parts/text/format.ts';
import { Mono } from '../../parts/text/text.tsx';
import { objectOf, type Protocol, type Settings, THINKING, type Tool } from './lanes/conversation.ts';
import { convertedTo, type Offer } from './models.ts';
import css from './side.module.css';
import { usePlaygroundTexts } from './texts.ts';
import { ToolDialog } from './tool-dialog.tsx';

const OUTPUTS = [256, 512, 1024, 2048, 4096, 8192, 16_384, 32_768, 65_536, 128_000];
const HOTTEST: Readonly<Record<Protocol, number>> = { chat: 2, responses: 2, messages: 1, gemini: 2 };

export interface ParametersProps {
  readonly offer: Offer;
  readonly protocol: Protocol;
  readonly models: readonly string[];
  readonly settings: Store<Settings>;
}

export function Parameters({ offer, protocol, models, settings: store }: ParametersProps) {
  const t = usePlaygroundTexts().parameters;
  const settings = useStore(store);
  const set = (changed: Partial<Settings>): void => store.write({ ...store.read(), ...changed });
  const hasSeed = protocol === 'chat' || protocol === 'gemini';
  return (
    <>
      <Field label={t.system}>
        <Textarea
          rows={3}
          placeholder={t.systemPlaceholder}
          value={settings.system}
          onChange={(event) => set({ system: event.target.value })}
        />
      </Field>
      <Temperature {...{ protocol, settings, set }} />
      <MostOutput {...{ offer, models, settings, set }} />
      <div className={css.field}>
        <span className={css.label}>{t.thinking}</span>
        <Segmented
          block
          size="sm"
          label={t.thinking}
          value={settings.thinking}
          onChange={(thinking) => set({ thinking })}
          options={THINKING.map((value) => ({ value, label: t.efforts[value] }))}
        />
      </div>
      <Tools {...{ settings, set }} />
      <SwitchRow label={t.stream} checked={settings.stream} onChange={(stream) => set({ stream })} />
      <SwitchRow
        label={t.asJson}
        help={t.asJsonHelp}
        checked={settings.asJson}
        onChange={(asJson) => set({ asJson })}
      />
      {settings.asJson && (
        <Field label={t.jsonSchema} error={objectOf(settings.jsonSchema) === undefined && t.notJson}>
          <Textarea
            mono
            rows={7}
            value={settings.jsonSchema}
            onChange={(event) => set({ jsonSchema: event.target.value })}
          />
        </Field>
      )}
      {hasSeed && (
        <Field label={t.seed} help={t.seedHelp}>
          <Input
            inputMode="numeric"
            value={settings.seed}
            onChange={(event) => set({ seed: event.target.value.replace(/\D/g, '').slice(0, 9) })}
          />
        </Field>
      )}
      <Losses {...{ offer, protocol, models, settings }} />
    </>
  );
}

interface PartProps {
  readonly settings: Settings;
  readonly set: (changed: Partial<Settings>) => void;
}

function Temperature({ protocol, settings, set }: PartProps & { readonly protocol: Protocol }) {
  const t = usePlaygroundTexts().parameters;
  const { temperature } = settings;
  const note =
    temperature === undefined ? (
      t.modelsOwn
    ) : (
      <span className={css.set}>
        {temperature.toFixed(1)}
        <Button
          variant="ghost"
          size="xs"
          icon="x"
          aria-label={t.reset}
          onClick={() => set({ temperature: undefined })}
        />
      </span>
    );
  return (
    <Field label={t.temperature} note={note}>
      <Slider
        min={0}
        max={HOTTEST[protocol]}
        step={0.1}
        value={temperature ?? 1}
        className={temperature === undefined ? css.unset : undefined}
        onChange={(value) => set({ temperature: value })}
      />
    </Field>
  );
}

function MostOutput({ offer, models, settings, set }: PartProps & Pick<ParametersProps, 'offer' | 'models'>) {
  const t = usePlaygroundTexts().parameters;
  const able = offer.text
    .filter(({ id }) => models.includes(id))
    .map(({ maxOutput }) => maxOutput ?? 128_000);
  const steps = OUTPUTS.filter((tokens) => tokens <= Math.max(256, Math.min(128_000, ...able)));
  const place = steps.findLastIndex((tokens) => tokens <= settings.maxOutput);
  return (
    <Field label={t.maxOutput} note={t.maxOutputTokens(count(settings.maxOutput))}>
      <Slider
        min={0}
        max={steps.length - 1}
        value={Math.max(0, place)}
        aria-valuetext={t.maxOutputTokens(count(settings.maxOutput))}
        onChange={(step) => set({ maxOutput: steps[step] ?? 4096 })}
      />
    </Field>
  );
}

function Tools({ settings, set }: PartProps) {
  const t = usePlaygroundTexts().parameters;
  const [edited, setEdited] = useState<number | 'new'>();
  const { tools } = settings;
  const save = (tool: Tool): void => {
    if (edited === 'new') set({ tools: [...tools, tool] });
    else if (edited !== undefined) set({ tools: tools.with(edited, tool) });
    setEdited(undefined);
  };
  const remove = (): void => {
    if (typeof edited === 'number') set({ tools: tools.toSpliced(edited, 1) });
    setEdited(undefined);
  };
  return (
    <div className={css.field}>
      <div className={css.label}>
        <span>{t.tools}</span>
        <button type="button" className={css.add} onClick={() => setEdited('new')}>
          {t.addTool}
        </button>
      </div>
      {tools.length === 0 && <p className={css.help}>{t.noTools}</p>}
      <ul className={css.tools}>
        {tools.map((tool, place) => (
          <li key={tool.name}>
            <Icon name="tool" size={14} />
            <button type="button" aria-label={t.editTool(tool.name)} onClick={() => setEdited(place)}>
              <Mono>{tool.name}</Mono>
            </button>
            <Switch
              aria-label={tool.name}
              checked={tool.on}
              onChange={(on) => set({ tools: tools.with(place, { ...tool, on }) })}
            />
          </li>
        ))}
      </ul>
      {edited !== undefined && (
        <ToolDialog
          tool={edited === 'new' ? undefined : tools[edited]}
          taken={tools.filter((_, place) => place !== edited).map(({ name }) => name)}
          onSave={save}
          onRemove={edited === 'new' ? undefined : remove}
          onClose={() => setEdited(undefined)}
        />
      )}
    </div>
  );
}

/** What a conversion has no place for, before anything is sent. The answer names it all. */
function Losses({
  offer,
  protocol,
  models,
  settings,
}: Omit<ParametersProps, 'settings'> & { settings: Settings }) {
  const t = usePlaygroundTexts().parameters;
  if (settings.seed === '' || (protocol !== 'chat' && protocol !== 'gemini')) return null;
  const losing = offer.text.filter((model) => {
    const target = models.includes(model.id) ? convertedTo(model, protocol) : undefined;
    return target === 'messages' || (target === 'responses' && !model.routes[0]?.protocols.includes('chat'));
  });
  return losing.map((model) => {
    const { before, field, after } = t.hasNo(model.id, 'seed');
    return (
      <p key={model.id} className={css.hint}>
        <Icon name="info" size={14} />
        <span>
          {before}
          <Mono>{field}</Mono>
          {after}
        </span>
      </p>
    );
  });
}
