import type { CatalogueSearch, Section } from './search.ts';
import type { Catalogue, Comparison } from './use-catalogue.ts';

export type OnSearch = (change: Partial<CatalogueSearch>, options?: { readonly replace?: boolean }) => void;

/** What every part of the place works with. */
export interface CataloguePageProps {
  readonly section: Section;
  readonly search: CatalogueSearch;
  readonly onSearch: OnSearch;
  readonly catalogue: Catalogue;
  /** Undefined while there is no draft, or while it is read. */
  readonly comparison: Comparison | undefined;
}
