import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { CodeBlock } from '../../../parts/code/code-block.tsx';
import { Segmented } from '../../../parts/form/segmented.tsx';
import { Select } from '../../../parts/form/select.tsx';
import {
  type SnippetClient,
  type Protocol as SnippetProtocol,
  type SnippetRequest,
  snippetsFor,
} from '../../../snippets/snippets.ts';
import css from '../side.module.css';
import { usePlaygroundTexts } from '../texts.ts';
import { bodyOf } from '../wire/wires.ts';
import type { Draft } from '../workspace.ts';
import { type Ask, PROTOCOLS, type Protocol, type Turn } from './conversation.ts';

export interface AsCodeProps {
  readonly protocol: Protocol;
  readonly lanes: readonly Pick<Ask, 'model' | 'turns' | 'settings'>[];
  readonly draft: Draft;
}

/** The next request of a lane as every client writes it. */
export function AsCode({ protocol, lanes, draft }: AsCodeProps) {
  const t = usePlaygroundTexts().code;
  const [place, setPlace] = useState('0');
  const lane = lanes[Number(place)] ?? lanes[0];
  if (lane === undefined) return null;
  const { model, settings } = lane;
  const { text, attachments } = draft;
  const isEmpty = text.trim() === '' && lane.turns.length > 0;
  const turns: readonly Turn[] = isEmpty
    ? lane.turns.slice(0, lane.turns.findLastIndex(({ role }) => role === 'user') + 1)
    : [...lane.turns, { role: 'user', text: text.trim() === '' ? 'Hello' : text, attachments }];
  return (
    <>
      {lanes.length > 1 && (
        <Segmented
          block
          size="sm"
          label={t.model}
          value={place}
          onChange={setPlace}
          options={lanes.map((each, at) => ({ value: String(at), label: each.model }))}
        />
      )}
      <Snippets clients={clientsOf(protocol, { model, turns: turns.map(withoutFiles), settings })} />
      {turns.some(hasFiles) && <p className={css.help}>{t.filesLeft}</p>}
    </>
  );
}

/** Pictures and files would be pages of figures. */
function hasFiles(turn: Turn): boolean {
  return turn.role === 'user' && turn.attachments.length > 0;
}

function withoutFiles(turn: Turn): Turn {
  if (turn.role === 'user') return { ...turn, attachments: [] };
  return { ...turn, parts: turn.parts.filter(({ kind }) => kind !== 'picture') };
}

/** Those of the chosen protocol first; a client of another protocol says the same in its own. */
function clientsOf(protocol: Protocol, ask: Ask): readonly SnippetClient[] {
  const { model, settings } = ask;
  const found = new Map<string, SnippetClient>();
  for (const each of [protocol, ...PROTOCOLS]) {
    const body = bodyOf(each, ask) as SnippetRequest['body'];
    for (const client of writeSnippets(model, { protocol: each, body, stream: settings.stream })) {
      if (!found.has(client.id)) found.set(client.id, client);
    }
  }
  return [...found.values()];
}

export function writeSnippets(
  model: string,
  request: SnippetRequest & { readonly protocol: SnippetProtocol },
): readonly SnippetClient[] {
  return snippetsFor({ baseUrl: window.location.origin, model, request });
}

export function Snippets({ clients }: { readonly clients: readonly SnippetClient[] }) {
  const t = usePlaygroundTexts().code;
  const [chosen, setChosen] = useState('');
  const variants = clients.flatMap(({ name, variants: all }) =>
    all.map((variant) => ({ ...variant, name: all.length > 1 ? `${name} · ${variant.label}` : name })),
  );
  const shown = variants.find(({ id }) => id === chosen) ?? variants[0];
  if (shown === undefined) return null;
  return (
    <>
      <Select
        aria-label={t.sdk}
        value={shown.id}
        onChange={setChosen}
        options={variants.map(({ id, name }) => ({ value: id, label: name }))}
      />
      {shown.blocks.map(({ place, language, code }) => (
        <CodeBlock key={place} title={place} samples={[{ key: place, label: place, language, code }]} />
      ))}
      <p className={css.help}>
        {t.help} <Link to="/keys">{t.makeKey}</Link>
      </p>
    </>
  );
}
