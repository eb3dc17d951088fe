const MIB = 1024 * 1024;

/** A backup: bytes of a table that are read at a time, of its manifest, and its compression (1 to 9). */
export const BACKUP_PART_BYTES = 4 * MIB;
export const BACKUP_ABOUT_BYTES_MAX = 4 * MIB;
export const BACKUP_COMPRESSION = 4;
/** One table of a large installation, written by a slow disk. */
export const BACKUP_TIMEOUT_MS = 6 * 3_600_000;
/** Snapshots that are taken until no part of the journal was created and deleted meanwhile. */
export const BACKUP_SNAPSHOTS_MAX = 10;
