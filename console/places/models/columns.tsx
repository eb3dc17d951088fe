import { Icon } from '../../parts/icons/icon.tsx';
import type { Column } from '../../parts/table/table.tsx';
import { count, countShort, duration, money, written } from '../../parts/text/format.ts';
import { Pill, VendorMark } from '../../parts/text/status.tsx';
import { Hidden, Mono, Unit } from '../../parts/text/text.tsx';
import { useLanguage, useTexts } from '../../texts/language.ts';
import { isPaidByTokens, itemOf, type Model, pricesOf } from './catalogue.ts';
import css from './models.module.css';
import type { ModelsSearch } from './search.ts';
import { en } from './texts.en.ts';
import { zh } from './texts.zh.ts';

const NONE = <span className={css.none}>–</span>;

export function useColumns(search: ModelsSearch): readonly Column<Model>[] {
  const t = useTexts({ en, zh });
  const language = useLanguage();
  const perMillion = (word: string) => (
    <>
      {word}
      <Unit>/M</Unit>
    </>
  );
  const price = (model: Model, name: 'cache_input_price' | 'input_price') =>
    isPaidByTokens(model) ? money(pricesOf(model, search.list)[name]) : NONE;
  return [
    { key: 'name', header: t.model, main: true, sortable: true, cell: (model) => <Name model={model} /> },
    { key: 'takes', header: t.takes, priority: 2, cell: (model) => <Takes model={model} /> },
    {
      key: 'used',
      header: t.used,
      priority: 3,
      sortable: true,
      cell: ({ used }) => (
        <span className={css.bar} title={t.usedTitle}>
          <i style={{ width: `${used * 100}%` }} />
        </span>
      ),
    },
    {
      key: 'context',
      header: t.context,
      align: 'right',
      priority: 3,
      tone: 'sub',
      sortable: true,
      cell: ({ first: { context_window: size } }) =>
        size === null ? NONE : <span title={count(size)}>{written(countShort(size, language))}</span>,
    },
    {
      key: 'speed',
      header: t.speed,
      align: 'right',
      priority: 2,
      tone: 'sub',
      sortable: true,
      cell: ({ tokensPerSecond: speed }) =>
        speed === null ? NONE : <Measured {...{ speed }} unit={t.perSecond} />,
    },
    {
      key: 'first',
      header: t.firstToken,
      align: 'right',
      priority: 2,
      tone: 'sub',
      sortable: true,
      cell: ({ firstTokenMs }) => <Wait ms={firstTokenMs} />,
    },
    {
      key: 'cached',
      header: perMillion(t.cached),
      align: 'right',
      priority: 2,
      tone: 'sub',
      sortable: true,
      cell: (model) => price(model, 'cache_input_price'),
    },
    {
      key: 'input',
      header: perMillion(t.input),
      align: 'right',
      sortable: true,
      cell: (model) => price(model, 'input_price'),
    },
    {
      key: 'output',
      header: perMillion(t.output),
      align: 'right',
      sortable: true,
      cell: (model) => <Output model={model} search={search} />,
    },
  ];
}

export function Measured({ speed, unit }: { readonly speed: number; readonly unit: string }) {
  return (
    <>
      {speed.toFixed(speed < 10 ? 1 : 0)}
      <Unit>{unit}</Unit>
    </>
  );
}

export function Wait({ ms }: { readonly ms: number | null }) {
  const { figure, unit } = duration(ms);
  return ms === null ? (
    NONE
  ) : (
    <>
      {figure}
      <Unit>{unit}</Unit>
    </>
  );
}

/** The price of an answer: by tokens, or for each picture or video. */
function Output({ model, search }: { readonly model: Model; readonly search: ModelsSearch }) {
  const t = useTexts({ en, zh });
  const prices = pricesOf(model, search.list);
  if (isPaidByTokens(model)) return money(prices.output_price);
  const item = itemOf(model);
  return (
    <>
      {money(item === 'image' ? prices.image_price : prices.video_price)}
      <Unit>{t.items[item]}</Unit>
    </>
  );
}

function Name({ model }: { readonly model: Model }) {
  const { id, name, first } = model;
  return (
    <span className={css.name}>
      <VendorMark name={first.vendor_name} />
      <span className={css.two}>
        <span className={css.title}>
          <span className={first.refusal === null ? undefined : css.locked}>{name}</span>
          <Lock model={model} />
        </span>
        <small>
          <Mono>{id}</Mono>
        </small>
      </span>
    </span>
  );
}

/** Why it is not callable, in two words. */
function Lock({ model }: { readonly model: Model }) {
  const t = useTexts({ en, zh });
  const { refusal, restriction, required_level: level } = model.first;
  if (refusal === null) return null;
  const names = restriction === 'plan' ? t.planLevels : t.verificationLevels;
  return (
    <Pill tone="warn" icon="lock">
      {names[Math.min(level, names.length) - 1] ?? t.locked}
    </Pill>
  );
}

const FEATURE_ICONS = { text: 'text', image: 'image', audio: 'mic', video: 'video' } as const;

export function Takes({ model }: { readonly model: Model }) {
  const t = useTexts({ en, zh });
  return (
    <span className={css.takes}>
      {model.first.support_features.map((feature) => (
        <span key={feature} title={t.features[feature]}>
          <Icon name={FEATURE_ICONS[feature]} />
          <Hidden>{t.features[feature]}</Hidden>
        </span>
      ))}
    </span>
  );
}
