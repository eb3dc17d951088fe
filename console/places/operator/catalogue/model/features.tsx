import { FactList } from '../../../../parts/figures/facts.tsx';
import { Section } from '../../../../parts/page/layout.tsx';
import { Dim, Mono } from '../../../../parts/text/text.tsx';
import css from '../catalogue.module.css';
import { EntryChoices, EntryField, type FormProps } from '../entries/fields.tsx';
import { useCatalogueTexts } from '../texts.ts';

const KINDS = ['text', 'image', 'audio', 'video'] as const;

/** What a model can do, and how much it takes. */
export function Features({ form }: { readonly form: FormProps }) {
  const t = useCatalogueTexts();
  const capabilities = Object.entries((form.entry.capabilities ?? {}) as Readonly<Record<string, unknown>>);
  return (
    <div className={css.fields}>
      <EntryChoices
        {...{ form, name: 'support_features', label: t.features.kinds, usual: ['text'] }}
        options={KINDS.map((value) => ({ value, label: t.features.names[value] }))}
      />
      <div className={css.two}>
        <EntryField
          {...{
            form,
            name: 'context_window',
            label: t.features.context,
            type: 'whole',
            suffix: t.features.tokens,
          }}
          placeholder={t.unlimited}
        />
        <EntryField
          {...{
            form,
            name: 'max_output_tokens',
            label: t.features.output,
            type: 'whole',
            suffix: t.features.tokens,
          }}
          placeholder={t.unlimited}
        />
      </div>
      <Section title={t.features.capabilities} note={t.features.capabilitiesNote}>
        {capabilities.length === 0 ? (
          <Dim>{t.features.noCapabilities}</Dim>
        ) : (
          <FactList
            facts={capabilities.map(([name, value]) => ({
              ...{ key: name, name: <Mono>{name}</Mono>, value: <Mono>{JSON.stringify(value)}</Mono> },
            }))}
          />
        )}
      </Section>
    </div>
  );
}
