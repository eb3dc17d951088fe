import type { CapabilityOverrides } from '../../kernel/capability.ts';

/** One row of the table: the models it applies to, and how they differ from their protocol's defaults. */
export interface CapabilityRow {
  /**
   * A plain name (name.ts). A string matches that name and all names that continue it with `-`. The first
   * matching row counts, so special rows come before general ones.
   */
  readonly match: string | RegExp;
  readonly capabilities: CapabilityOverrides;
}
