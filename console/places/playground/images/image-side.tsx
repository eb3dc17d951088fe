import { type Store, useStore } from '../../../app/store.ts';
import { Field } from '../../../parts/form/field.tsx';
import { Segmented } from '../../../parts/form/segmented.tsx';
import { Slider } from '../../../parts/form/slider.tsx';
import { Icon } from '../../../parts/icons/icon.tsx';
import { money } from '../../../parts/text/format.ts';
import type { SnippetRequest } from '../../../snippets/snippets.ts';
import { Snippets, writeSnippets } from '../lanes/as-code.tsx';
import { Raw } from '../lanes/raw.tsx';
import { ModelPicker } from '../model-picker.tsx';
import type { Offer, OfferedModel } from '../models.ts';
import { useQuote } from '../prices.ts';
import side from '../side.module.css';
import { SideTabs } from '../side.tsx';
import { usePlaygroundTexts } from '../texts.ts';
import type { Workspace } from '../workspace.ts';
import {
  BACKGROUNDS,
  FORMATS,
  type ImageSettings,
  imageBody,
  PICTURES_MAX,
  QUALITIES,
  SIZES,
} from './image-feed.ts';
import css from './images.module.css';

export interface ImageSideProps {
  readonly offer: Offer;
  readonly model: OfferedModel | undefined;
  readonly workspace: Workspace;
  readonly onModel: (id: string) => void;
}

export function ImageSide({ offer, model, workspace, onModel }: ImageSideProps) {
  const settings = useStore(workspace.imageSettings);
  const { text } = useStore(workspace.imageDraft);
  const exchange = useStore(workspace.images.exchange);
  if (model === undefined) return null;
  const prompt = text.trim() === '' ? 'A toll gate at dawn' : text;
  const body = imageBody({ model: model.id, prompt, settings }) as SnippetRequest['body'];
  return (
    <SideTabs
      parameters={<ImageParameters {...{ offer, model, onModel }} store={workspace.imageSettings} />}
      code={<Snippets clients={writeSnippets(model.id, { protocol: 'images', body, stream: false })} />}
      raw={<Raw exchanges={[{ name: model.id, exchange }]} />}
    />
  );
}

interface ImageParametersProps {
  readonly offer: Offer;
  readonly model: OfferedModel;
  readonly onModel: (id: string) => void;
  readonly store: Store<ImageSettings>;
}

function ImageParameters({ offer, model, onModel, store }: ImageParametersProps) {
  const t = usePlaygroundTexts().images;
  const settings = useStore(store);
  const set = (changed: Partial<ImageSettings>): void => store.write({ ...store.read(), ...changed });
  const all = new Set([...offer.text, ...offer.images].map(({ id }) => id)).size;
  return (
    <>
      <div className={side.field}>
        <span className={side.label}>{t.model}</span>
        <ModelPicker boxed models={offer.images} value={model.id} onChange={onModel} />
        <span className={side.help}>{t.makers(offer.images.length, all)}</span>
      </div>
      <Sizes value={settings.size} onChange={(size) => set({ size })} />
      <Choice
        label={t.quality}
        names={t.qualities}
        values={QUALITIES}
        value={settings.quality}
        onChange={(quality) => set({ quality })}
      />
      <Field label={t.count} note={settings.count}>
        <Slider min={1} max={PICTURES_MAX} value={settings.count} onChange={(count) => set({ count })} />
      </Field>
      <Choice
        label={t.background}
        names={t.backgrounds}
        values={BACKGROUNDS}
        value={settings.background}
        onChange={(background) => set({ background })}
      />
      <Choice
        label={t.format}
        names={{ png: 'PNG', webp: 'WebP', jpeg: 'JPEG' }}
        values={FORMATS}
        value={settings.format}
        onChange={(format) => set({ format })}
      />
      <PriceTable model={model} count={settings.count} />
      <p className={side.hint}>
        <Icon name="info" size={14} />
        <span>{t.refused}</span>
      </p>
    </>
  );
}

interface ChoiceProps<Value extends string> {
  readonly label: string;
  readonly names: Readonly<Record<Value, string>>;
  readonly values: readonly Value[];
  readonly value: Value;
  readonly onChange: (value: Value) => void;
}

function Choice<Value extends string>({ label, names, values, value, onChange }: ChoiceProps<Value>) {
  return (
    <div className={side.field}>
      <span className={side.label}>{label}</span>
      <Segmented
        block
        size="sm"
        label={label}
        value={value}
        onChange={onChange}
        options={values.map((each) => ({ value: each, label: names[each] }))}
      />
    </div>
  );
}

function Sizes(given: {
  readonly value: ImageSettings['size'];
  readonly onChange: (size: ImageSettings['size']) => void;
}) {
  const t = usePlaygroundTexts().images;
  return (
    <div className={side.field}>
      <span className={side.label}>{t.size}</span>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be a grid in every browser */}
      <div className={css.sizes} role="group" aria-label={t.size}>
        {SIZES.map((size) => (
          <button
            key={size}
            type="button"
            aria-pressed={size === given.value}
            onClick={() => given.onChange(size)}
          >
            <i className={css[`size${size}`]} />
            {t.sizes[size]}
          </button>
        ))}
      </div>
    </div>
  );
}

/** What one picture costs and what the chosen number does, by the server. */
function PriceTable({ model, count }: { readonly model: OfferedModel; readonly count: number }) {
  const t = usePlaygroundTexts().images;
  const one = useQuote(model.id, { images: 1 });
  const all = useQuote(model.id, { images: count });
  return (
    <table className={css.prices}>
      <caption>{t.priceOfOne}</caption>
      <tbody>
        <tr>
          <th scope="row">{t.pictures(1)}</th>
          <td>{money(one?.amount, { decimals: 6 })}</td>
        </tr>
        {count > 1 && (
          <tr>
            <th scope="row">{t.pictures(count)}</th>
            <td>{money(all?.amount, { decimals: 6 })}</td>
          </tr>
        )}
      </tbody>
    </table>
  );
}
