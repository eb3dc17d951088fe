import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useApi } from '../../api/api.ts';
import { type Command, type CommandGroup, CommandPalette } from '../../parts/overlay/command-palette.tsx';
import { useTexts } from '../../texts/language.ts';
import { callsPath, readRequestId } from './pasted-call.ts';
import { type NavGroup, OPEN_NAV } from './places.ts';
import { en } from './texts.en.ts';
import { zh } from './texts.zh.ts';

const MODELS_MAX = 8;

interface PaletteProps {
  readonly nav: readonly NavGroup[];
  readonly onClose: () => void;
}

/** Leads to any place, any model, and to a call by its request id. */
export default function Palette({ nav, onClose }: PaletteProps) {
  const t = useTexts({ en, zh });
  const [query, setQuery] = useState('');
  const places = usePlaces(nav);
  const models = useModels();
  const openCall = useOpenCall(nav);
  const wanted = query.trim().toLowerCase();
  const fits = ({ key, label, detail }: Command) =>
    [key, label, detail].some((text) => typeof text === 'string' && text.toLowerCase().includes(wanted));
  const id = readRequestId(query);
  const groups: readonly CommandGroup[] = [
    { label: t.palette.calls, commands: id === undefined ? [] : [openCall(id)] },
    { label: t.palette.places, commands: id === undefined ? places.filter(fits) : [] },
    {
      label: t.palette.models,
      commands: id === undefined && wanted !== '' ? models.filter(fits).slice(0, MODELS_MAX) : [],
    },
  ];
  return (
    <CommandPalette
      open
      onClose={onClose}
      query={query}
      onQuery={setQuery}
      groups={groups.filter(({ commands }) => commands.length > 0)}
      placeholder={t.palette.hint}
    />
  );
}

function usePlaces(nav: readonly NavGroup[]): readonly Command[] {
  const t = useTexts({ en, zh });
  const navigate = useNavigate();
  const items = nav.flatMap((group) => group.items);
  const known = new Set(items.map(({ to }) => to));
  const nested = items.flatMap(({ icon, name, nested: inner = [] }) =>
    inner.map((each) => ({ ...each, icon, detail: t.names[name] })),
  );
  const open = OPEN_NAV.filter(({ to }) => !known.has(to));
  return [...items.map((item) => ({ ...item, detail: undefined })), ...nested, ...open].map((item) => ({
    key: `place:${item.to}:${item.name}`,
    label: t.names[item.name],
    detail: 'detail' in item ? item.detail : undefined,
    icon: item.icon,
    onSelect: () => void navigate({ to: item.to }),
  }));
}

function useModels(): readonly Command[] {
  const navigate = useNavigate();
  const models = useApi('listOfferedModels', {}, { staleTime: 60_000 }).data?.data ?? [];
  return models.map(({ model_id: id, name }) => ({
    key: `model:${id}`,
    label: id,
    detail: name,
    icon: 'cube',
    onSelect: () => void navigate({ to: '/models', search: { model: id } as never }),
  }));
}

function useOpenCall(nav: readonly NavGroup[]): (id: string) => Command {
  const t = useTexts({ en, zh });
  const navigate = useNavigate();
  return (id) => ({
    key: `call:${id}`,
    label: t.palette.openCall(id),
    icon: 'list',
    onSelect: () => void navigate({ to: callsPath(nav), search: { call: id } }),
  });
}
