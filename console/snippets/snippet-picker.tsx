import type { ReactNode } from 'react';
import { CodeBlock } from '../parts/code/code-block.tsx';
import { Segmented } from '../parts/form/segmented.tsx';
import { useTexts } from '../texts/language.ts';
import css from './snippet-picker.module.css';
import type { SnippetClient } from './snippets.ts';
import { en } from './texts.en.ts';
import { zh } from './texts.zh.ts';

export interface SnippetPickerProps {
  readonly clients: readonly SnippetClient[];
  /** The id of a client or of one of its variants. What is unknown stands for the first. */
  readonly value: string | undefined;
  readonly onChange: (id: string) => void;
  /** Left above the code: the choice of a model. */
  readonly children?: ReactNode;
}

/** Every client in a row, and how the chosen one calls the gateway. */
export function SnippetPicker({ clients, value, onChange, children }: SnippetPickerProps) {
  const t = useTexts({ en, zh });
  const has = (client: SnippetClient): boolean => client.variants.some(({ id }) => id === value);
  const chosen = clients.find((each) => each.id === value || has(each)) ?? clients[0];
  const variant = chosen?.variants.find(({ id }) => id === value) ?? chosen?.variants[0];
  if (chosen === undefined || variant === undefined) return null;
  return (
    <div className={css.picker}>
      {/* biome-ignore lint/a11y/useSemanticElements: a row of buttons */}
      <div role="group" aria-label={t.clients} className={css.clients}>
        {clients.map((client) => (
          <button
            key={client.id}
            type="button"
            aria-pressed={client === chosen}
            onClick={() => onChange(client.variants[0]?.id ?? client.id)}
          >
            <b>{client.name}</b>
            <small>{kindOf(client, t)}</small>
          </button>
        ))}
      </div>
      {(children !== undefined || chosen.variants.length > 1) && (
        <div className={css.bar}>
          {children}
          {chosen.variants.length > 1 && (
            <Segmented
              label={t.languages}
              size="sm"
              value={variant.id}
              onChange={onChange}
              options={chosen.variants.map(({ id, label }) => ({ value: id, label }))}
            />
          )}
        </div>
      )}
      {variant.blocks.map(({ place, language, code }) => (
        <CodeBlock
          key={place}
          title={<span className={css.place}>{place === 'terminal' ? t.terminal : place}</span>}
          samples={[{ key: place, label: place, language, code }]}
        />
      ))}
    </div>
  );
}

function kindOf({ kind, variants }: SnippetClient, { kinds }: typeof en): string {
  if (kind === 'terminal') return kinds.terminal;
  return variants.length > 1 ? kinds.both : kinds.javascript;
}
