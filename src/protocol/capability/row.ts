import type { CapabilityOverrides } from '../../kernel/capability.ts';

/** One line of the table: the models it speaks of, and how they differ from their protocol's usual. */
export interface CapabilityRow {
  /**
   * A plain name (name.ts): a text matches that name and all that go on with `-` after it. The first row that
   * matches counts, so the special stand above the general.
   */
  readonly match: string | RegExp;
  readonly capabilities: CapabilityOverrides;
}
