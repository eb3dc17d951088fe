import { useEffect, useState } from 'react';
import { useApi } from '../../../api/api.ts';
import { SearchInput } from '../../../parts/form/search-input.tsx';
import { Select } from '../../../parts/form/select.tsx';
import { FilterBar, FilterChip } from '../../../parts/page/filter-bar.tsx';
import { useTexts } from '../../../texts/language.ts';
import { type AuditSearch, operatorAuditRoute } from './route.ts';
import { en } from './texts.en.ts';
import { zh } from './texts.zh.ts';

const ENTITIES = [
  ...['accounts', 'alert_channels', 'alert_deliveries', 'announcements', 'api_keys', 'byok_credentials'],
  ...['catalogue', 'credentials', 'feedback'],
  ...['funds', 'models', 'nodes', 'plans', 'policies', 'registration', 'routes', 'sessions', 'settings'],
  ...['subscriptions', 'vendors', 'verifications'],
];
const OPERATORS = { query: { role: 'operator' as const, size: 100 } };
const TYPING_MS = 250;

export function AuditFilters() {
  const t = useTexts({ en, zh });
  const { entity, actor, action, account_id: account } = operatorAuditRoute.useSearch();
  const navigate = operatorAuditRoute.useNavigate();
  const operators = useApi('listAccounts', OPERATORS, { staleTime: 60_000 }).data?.data ?? [];
  const set = (change: AuditSearch) =>
    void navigate({
      search: (now) => ({ ...now, page: undefined, entry: undefined, ...change }),
      replace: true,
    });
  const entities = entity === undefined || ENTITIES.includes(entity) ? ENTITIES : [...ENTITIES, entity];
  return (
    <FilterBar>
      <KeyFilter onKey={(key) => set({ key })} />
      <Select
        aria-label={t.whichKind}
        value={entity ?? ''}
        onChange={(next) => set({ entity: next === '' ? undefined : next })}
        options={[
          { value: '', label: t.everything },
          ...entities.map((value) => ({
            value,
            label: t.entities[value as keyof typeof t.entities] ?? value,
          })),
        ]}
      />
      <Select
        aria-label={t.who}
        value={actor === undefined ? '' : String(actor)}
        onChange={(next) => set({ actor: next === '' ? undefined : Number(next) })}
        options={[
          { value: '', label: t.everybody },
          ...operators.map(({ id, email }) => ({ value: String(id), label: email })),
        ]}
      />
      {account !== undefined && (
        <FilterChip
          name={t.account}
          value={String(account)}
          onRemove={() => set({ account_id: undefined })}
        />
      )}
      {action !== undefined && (
        <FilterChip name={t.action} value={action} onRemove={() => set({ action: undefined })} />
      )}
    </FilterBar>
  );
}

/** The address follows what is typed, a moment later. */
function KeyFilter({ onKey }: { readonly onKey: (key: string | undefined) => void }) {
  const t = useTexts({ en, zh });
  const { key } = operatorAuditRoute.useSearch();
  const [typed, setTyped] = useState(key ?? '');
  const [known, setKnown] = useState(key);
  if (known !== key) {
    setKnown(key);
    if (typed.trim() !== (key ?? '')) setTyped(key ?? '');
  }
  useEffect(() => {
    const wanted = typed.trim() === '' ? undefined : typed.trim();
    if (wanted === key) return;
    const timer = setTimeout(() => onKey(wanted), TYPING_MS);
    return () => clearTimeout(timer);
  }, [typed, key, onKey]);
  return <SearchInput value={typed} onChange={setTyped} label={t.searchKey} placeholder={t.searchKey} />;
}
