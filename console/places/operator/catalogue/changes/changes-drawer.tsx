import { Button } from '../../../../parts/button.tsx';
import { Diff, type DiffLine } from '../../../../parts/figures/diff.tsx';
import { Drawer, DrawerSection } from '../../../../parts/overlay/drawer.tsx';
import { showToast } from '../../../../parts/overlay/toast.tsx';
import { Banner } from '../../../../parts/page/banner.tsx';
import { Empty } from '../../../../parts/page/empty.tsx';
import { ErrorNote } from '../../../../parts/page/error-note.tsx';
import { Stack } from '../../../../parts/page/layout.tsx';
import { SkeletonLines } from '../../../../parts/page/skeleton.tsx';
import { Pill } from '../../../../parts/text/status.tsx';
import { Mono } from '../../../../parts/text/text.tsx';
import css from '../catalogue.module.css';
import { useCatalogueTexts } from '../texts.ts';
import type { CataloguePageProps } from '../types.ts';
import type { Catalogue, Comparison, useComparison } from '../use-catalogue.ts';
import { ChangesFoot } from './changes-foot.tsx';
import { type Draft, discardDraft, keepMine, setDraft } from './draft.ts';
import { ProblemList } from './problem-list.tsx';
import { WhatIf } from './what-if.tsx';
import { useChangeCount, WhatItDoes } from './what-it-does.tsx';

interface ChangesDrawerProps {
  readonly page: CataloguePageProps;
  readonly compared: ReturnType<typeof useComparison>;
}

/** What is changed but not in force: as lines, in words, and in money. */
export function ChangesDrawer({ page, compared }: ChangesDrawerProps) {
  const t = useCatalogueTexts();
  const { catalogue, onSearch } = page;
  const close = () => onSearch({ changes: undefined }, { replace: true });
  const number = useChangeCount(page);
  const isEmpty = catalogue.edits.length === 0;
  return (
    <Drawer
      {...{ label: t.changes.label, onClose: close, size: 'narrow', focus: 'keep' }}
      title={
        <>
          {t.changes.count(isEmpty ? 0 : number)}{' '}
          {!isEmpty && <Pill tone="warn">{t.changes.notApplied}</Pill>}
        </>
      }
      actions={!isEmpty && <Discard edits={catalogue.edits} onDiscarded={close} />}
      foot={isEmpty ? undefined : <ChangesFoot {...{ page, compared }} onApplied={close} />}
    >
      {isEmpty ? (
        <Empty plain title={t.changes.none}>
          {t.changes.noneText}
        </Empty>
      ) : (
        <Content {...{ page, compared }} />
      )}
    </Drawer>
  );
}

function Discard({ edits, onDiscarded }: { readonly edits: Draft; readonly onDiscarded: () => void }) {
  const t = useCatalogueTexts();
  const discard = () => {
    discardDraft();
    onDiscarded();
    showToast({ text: t.changes.discarded, onUndo: () => setDraft(edits) });
  };
  return (
    <Button variant="ghost" size="sm" icon="undo" onClick={discard}>
      {t.changes.discard}
    </Button>
  );
}

function Content({ page, compared }: ChangesDrawerProps) {
  const t = useCatalogueTexts();
  const { catalogue } = page;
  const { data: comparison, isError, error, refetch } = compared;
  if (isError) {
    return (
      <ErrorNote
        cause={t.changes.failed}
        remedy={error.message}
        requestId={error.requestId}
        onRetry={() => void refetch()}
      />
    );
  }
  if (comparison === undefined) return <SkeletonLines lines={8} />;
  const { problems, hunks, changes } = comparison;
  return (
    <>
      {catalogue.conflicts.length > 0 && <Conflicts catalogue={catalogue} />}
      {problems.length > 0 ? (
        <DrawerSection title={t.problems.title(problems.length)}>
          <ProblemList
            problems={problems.map((each) => ({ ...each, line: null }))}
            document={catalogue.document}
          />
        </DrawerSection>
      ) : (
        <>
          <WhatIf page={page} yaml={catalogue.yaml} isReady={compared.isCurrent} />
          {changes.length > 0 && (
            <DrawerSection title={t.effects.title}>
              <WhatItDoes comparison={comparison} />
            </DrawerSection>
          )}
          <DrawerSection title={<Mono>catalog.yaml</Mono>} note={t.changes.against(comparison.version)}>
            <div className={css.diff}>
              <Diff lines={diffLines(hunks)} />
            </div>
          </DrawerSection>
        </>
      )}
    </>
  );
}

type Hunks = Comparison['hunks'];

function diffLines(hunks: Hunks): readonly DiffLine[] {
  return hunks.flatMap(({ where, lines }): DiffLine[] => [
    { kind: 'head', text: `@@ ${where}` },
    ...lines.map(({ kind, before, after, text }, at): DiffLine => {
      const other = kind === 'removed' ? lines[at + 1] : lines[at - 1];
      const isPair = kind !== 'same' && other !== undefined && other.kind !== 'same' && other.kind !== kind;
      const number = (kind === 'removed' ? before : after) ?? undefined;
      return { kind, number, text, mark: isPair ? differing(text, other.text) : undefined };
    }),
  ]);
}

const WORD = /[\p{L}\p{N}_.,-]/u;

/** The stretch of a line that the other one has not, in whole numbers and words. */
function differing(text: string, other: string): readonly [number, number] | undefined {
  let from = 0;
  while (from < text.length && text[from] === other[from]) from++;
  let to = text.length;
  while (
    to > from &&
    other.length - (text.length - to) > from &&
    text[to - 1] === other.at(to - 1 - text.length)
  ) {
    to--;
  }
  if (to <= from) return undefined;
  const isWord = (at: number) => WORD.test(text[at] ?? ' ');
  while (from > 0 && isWord(from) && isWord(from - 1)) from--;
  while (to < text.length && isWord(to - 1) && isWord(to)) to++;
  return [from, to];
}

/** Entries that somebody else changed, too. */
function Conflicts({ catalogue }: { readonly catalogue: Catalogue }) {
  const t = useCatalogueTexts();
  const { base, edits, conflicts } = catalogue;
  return (
    <Stack gap={8}>
      {conflicts.map((conflict) => (
        <Banner
          key={`${conflict.kind} ${conflict.key}`}
          tone="warn"
          action={
            <>
              <Button size="xs" onClick={() => setDraft(keepMine(base, edits, conflict))}>
                {t.conflict.keepMine}
              </Button>
              <Button size="xs" onClick={() => setDraft(edits.filter((each) => each !== conflict))}>
                {t.conflict.takeTheirs}
              </Button>
            </>
          }
        >
          {t.conflict.entry(conflict.key)}
        </Banner>
      ))}
    </Stack>
  );
}
