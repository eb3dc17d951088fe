import { useCallback, useEffect, useRef } from 'react';
import { useCrumb } from '../../../app/crumb.ts';
import { Split } from '../../../parts/overlay/drawer.tsx';
import { ErrorNote } from '../../../parts/page/error-note.tsx';
import { Page, PageHead } from '../../../parts/page/layout.tsx';
import { SkeletonLines } from '../../../parts/page/skeleton.tsx';
import { ChangesDrawer } from './changes/changes-drawer.tsx';
import { Announcements } from './entries/announcements.tsx';
import { Credentials } from './entries/credentials.tsx';
import { EntryDrawer } from './entries/entry-drawer.tsx';
import { NewCredential } from './entries/new-credential.tsx';
import { NewEntry } from './entries/new-entry.tsx';
import { Plans } from './entries/plans.tsx';
import { Policies } from './entries/policies.tsx';
import { Vendors } from './entries/vendors.tsx';
import { ImportPrices } from './import/import-prices.tsx';
import { ModelPage } from './model/model-page.tsx';
import { RouteDrawer } from './model/route-drawer.tsx';
import { Models } from './models.tsx';
import { operatorCatalogueRoute } from './route.ts';
import { readSection } from './search.ts';
import { useCatalogueTexts } from './texts.ts';
import type { CataloguePageProps, OnSearch } from './types.ts';
import { useCatalogue, useComparison } from './use-catalogue.ts';
import { YamlPage } from './yaml-page.tsx';

const LISTS = {
  ...{ vendors: Vendors, credentials: Credentials, models: Models, policies: Policies, plans: Plans },
  ...{ announcements: Announcements, yaml: YamlPage },
};

/** What is sold and where it comes from. Changes are collected here, and applied together. */
export function Catalogue() {
  const t = useCatalogueTexts();
  const section = readSection(operatorCatalogueRoute.useParams().section);
  const search = operatorCatalogueRoute.useSearch();
  const navigate = operatorCatalogueRoute.useNavigate();
  const onSearch = useCallback<OnSearch>(
    (change, options) => void navigate({ search: (now) => ({ ...now, ...change }), ...options }),
    [navigate],
  );
  const { file, catalogue } = useCatalogue();
  const compared = useComparison(catalogue);
  useCrumb(section === 'models' ? search.model : undefined);
  useOpenChanges(catalogue?.edits.length, search.edit ?? search.add, onSearch);
  if (catalogue === undefined) {
    return (
      <Page>
        <PageHead title={t.sections[section].title} lead={t.sections[section].lead} />
        {file.isError ? (
          <ErrorNote
            cause={t.cannotRead}
            requestId={file.error.requestId}
            onRetry={() => void file.refetch()}
            retrying={file.isFetching}
          />
        ) : (
          <SkeletonLines lines={8} />
        )}
      </Page>
    );
  }
  const page: CataloguePageProps = { section, search, onSearch, catalogue, comparison: compared.data };
  const List = LISTS[section];
  return (
    <Split drawer={<OpenDrawer page={page} compared={compared} />}>
      <Page>
        {section === 'models' && search.model !== undefined ? (
          <ModelPage key={search.model} page={page} modelId={search.model} />
        ) : (
          <List page={page} />
        )}
      </Page>
    </Split>
  );
}

/** With the first change of a draft its drawer opens, beside what is edited. */
function useOpenChanges(edits: number | undefined, drawer: string | undefined, onSearch: OnSearch): void {
  const last = useRef(edits);
  useEffect(() => {
    if (last.current === 0 && edits !== undefined && edits > 0 && drawer === undefined) {
      onSearch({ changes: 'open' }, { replace: true });
    }
    last.current = edits;
  }, [edits, drawer, onSearch]);
}

interface OpenDrawerProps {
  readonly page: CataloguePageProps;
  readonly compared: ReturnType<typeof useComparison>;
}

function OpenDrawer({ page, compared }: OpenDrawerProps) {
  const { section, search } = page;
  if (search.changes === 'open') return <ChangesDrawer page={page} compared={compared} />;
  if (section === 'yaml') return null;
  const { model, edit, add, prices } = search;
  if (section === 'models' && model !== undefined) {
    if (edit === undefined && add === undefined) return null;
    return <RouteDrawer key={edit ?? ''} {...{ page, modelId: model, routeId: edit }} />;
  }
  if (section === 'models' && prices === 'import' && add === undefined) return <ImportPrices page={page} />;
  if (add === 'yes') {
    return section === 'credentials' ? (
      <NewCredential page={page} />
    ) : (
      <NewEntry key={section} {...{ page, section }} />
    );
  }
  if (edit !== undefined && section !== 'models') {
    return <EntryDrawer key={`${section} ${edit}`} {...{ page, section }} entryKey={edit} />;
  }
  return null;
}
