import { keepPreviousData, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { type Data, queryKey, useApi, useApiWrite } from '../../../api/api.ts';
import { useStore } from '../../../app/store.ts';
import {
  type Document,
  type Entry,
  entriesOf,
  type Kind,
  keyOf,
  readDocument,
  writeDocument,
} from './changes/document.ts';
import {
  type Draft,
  discardDraft,
  draft,
  draftOf,
  putEdit,
  rebase,
  setDraft,
  withEdits,
} from './changes/draft.ts';

export type Comparison = Data<'compareCatalogueFile'>;
export type Problem = Comparison['problems'][number];

const TYPING_MS = 250;

/** The value, once it stands still. */
export function useSettled<Value>(value: Value): Value {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), TYPING_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}

export interface Catalogue {
  /** As it is in force. */
  readonly base: Document;
  readonly version: number;
  readonly baseText: string;
  /** With the draft. */
  readonly document: Document;
  /** The whole file with the draft, to send. */
  readonly yaml: string;
  readonly edits: Draft;
  readonly conflicts: Draft;
  /** Puts an entry into the draft; null removes it. */
  readonly put: (kind: Kind, key: string, entry: Entry | null) => void;
}

/** The catalogue with what is changed but not applied. */
export function useCatalogue() {
  const file = useApi('getCatalogueAsFile', {});
  const stored = useStore(draft);
  const read = file.data?.data;
  const base = useMemo(() => (read === undefined ? undefined : readDocument(read.text)), [read]);
  const placed = useMemo(() => (base === undefined ? undefined : rebase(base, stored)), [base, stored]);
  useEffect(() => {
    if (placed !== undefined && placed.edits !== stored) setDraft(placed.edits);
  }, [placed, stored]);
  const catalogue = useMemo((): Catalogue | undefined => {
    if (base === undefined || placed === undefined || read === undefined) return undefined;
    const document = withEdits(base, placed.edits);
    return {
      base,
      version: read.version,
      baseText: read.text,
      document,
      yaml: writeDocument(document),
      ...placed,
      put: (kind, key, after) => setDraft(putEdit(base, draft.read(), { kind, key, after })),
    };
  }, [base, placed, read]);
  return { file, catalogue };
}

/** What the draft would do, or what is wrong with it. Without a draft there is nothing to say. */
export function useComparison(catalogue: Catalogue | undefined) {
  const queries = useQueryClient();
  const yaml = useSettled(catalogue?.yaml);
  const enabled = yaml !== undefined && catalogue !== undefined && catalogue.edits.length > 0;
  const body = { yaml: yaml ?? '', extent: 'whole' } as const;
  const compared = useApi(
    'compareCatalogueFile',
    { body },
    { enabled, placeholderData: keepPreviousData, gcTime: TYPING_MS },
  );
  const { isPlaceholderData, refetch } = compared;
  const data = enabled ? compared.data?.data : undefined;
  const [compares, stands] = [data?.version ?? 0, catalogue?.version ?? 0];
  // Somebody else changed the catalogue: the older of the two is read again.
  useEffect(() => {
    if (compares > stands) void queries.invalidateQueries({ queryKey: ['getCatalogueAsFile'] });
    if (compares > 0 && compares < stands && !isPlaceholderData) void refetch();
  }, [compares, stands, isPlaceholderData, refetch, queries]);
  const isCurrent = !isPlaceholderData && compares > 0 && compares === stands && yaml === catalogue?.yaml;
  return { ...compared, data, isCurrent };
}

/** The message without the path, which is told beside it. */
export function plainMessage({ path, message }: Pick<Problem, 'path' | 'message'>): string {
  const rest = path !== '' && message.startsWith(path) ? message.slice(path.length) : message;
  const text = rest.replace(/^[:\s]+/, '');
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

/** What the server says against one entry, by the path within it: `prices.input`. */
export function problemsOf(
  { document }: Catalogue,
  problems: readonly Problem[] | undefined,
  { kind, key }: { readonly kind: Kind; readonly key: string },
): ReadonlyMap<string, string> {
  const at = entriesOf(document, kind).findIndex((entry) => keyOf(kind, entry) === key);
  const head = `${kind}[${at}]`;
  const own = (problems ?? []).filter(({ path }) => path === head || path.startsWith(`${head}.`));
  return new Map(own.map((each) => [each.path.slice(head.length + 1), plainMessage(each)]));
}

interface Applying {
  /** The catalogue that results, as the comparison has it. */
  readonly text: string;
  /** The explicit yes to prices that become 0. */
  readonly isFreeConfirmed: boolean;
}

/** Applies the draft. What the server answered to the comparison is then the catalogue. */
export function useApply() {
  const queries = useQueryClient();
  const write = useApiWrite('applyCatalogueFile', []);
  const apply = (catalogue: Catalogue, { text, isFreeConfirmed }: Applying, onApplied: () => void) =>
    write.mutate(
      {
        body: {
          yaml: catalogue.yaml,
          extent: 'whole',
          base_version: catalogue.version,
          ...(isFreeConfirmed && { confirm_free: true }),
        },
      },
      {
        onSuccess: ({ data: { version } }) => {
          queries.setQueryData(queryKey('getCatalogueAsFile', {}), { data: { version, text } });
          discardDraft();
          onApplied();
          void queries.invalidateQueries();
        },
        // Somebody else was faster: the draft is placed on what is there now.
        onError: () => void queries.invalidateQueries({ queryKey: ['getCatalogueAsFile'] }),
      },
    );
  return { ...write, apply };
}

interface TypedFile {
  readonly typed: string | undefined;
  readonly extent?: 'whole' | 'part' | undefined;
  /** The catalogue in which the typing began: the text undoes nothing that others change meanwhile. */
  readonly start?: Document | undefined;
}

/** A typed file. What is right becomes the draft; what is wrong is told with its line. */
export function useTypedFile({ base, version }: Catalogue, { typed, extent = 'whole', start }: TypedFile) {
  const queries = useQueryClient();
  const settled = useSettled(typed);
  const enabled = settled !== undefined && typed !== undefined;
  const body = { yaml: settled ?? '', extent };
  const asked = useApi(
    'compareCatalogueFile',
    { body },
    { enabled, placeholderData: keepPreviousData, gcTime: TYPING_MS },
  );
  const answer = enabled && !asked.isPlaceholderData && settled === typed ? asked.data?.data : undefined;
  useEffect(() => {
    if (answer === undefined || answer.problems.length > 0 || settled === undefined) return;
    if (start === undefined && answer.version > version) {
      void queries.invalidateQueries({ queryKey: ['getCatalogueAsFile'] });
      return;
    }
    setDraft(draftOf(start ?? base, readDocument(answer.text), readDocument(settled)));
  }, [answer, base, version, start, settled, queries]);
  const problems = enabled ? (asked.data?.data.problems ?? []) : [];
  return { problems, error: asked.error, isChecked: answer !== undefined };
}
