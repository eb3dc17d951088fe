/** A text that a migration had before it was released for good. Databases remember its checksum. */
export interface EarlierText {
  /** The migration, and the checksum that it had then. */
  readonly name: string;
  readonly checksum: string;
  /** Brings what that text made into the form of today's. Absent if only a comment differs. */
  readonly mend?: string;
}

/** The list does not grow: `src/store/migrations.sha256` keeps migrations as they are. */
export const EARLIER_TEXTS: readonly EarlierText[] = [
  {
    name: '001_accounts_catalog.sql',
    checksum: '8ddb285f4147c3b80aa6d0f33cc9067f8fb30f0f5103699af6e927e2a97f548c',
  },
  {
    name: '033_batches.sql',
    checksum: 'b15e5072b186de644de5125dbbf0ef1984e02b0445d8d16f01311ebf74b4ad86',
    // No program wrote to the column while it had that name.
    mend: 'alter table files rename column call_id to batch_id',
  },
];
