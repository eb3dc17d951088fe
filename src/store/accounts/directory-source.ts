import type { DirectorySource } from '../../accounts/contract.ts';
import { loadCatalog } from '../catalog/catalog.ts';
import type { Unsealing } from '../catalog/read.ts';
import type { Database } from '../database.ts';
import { findCaller } from './accounts.ts';

/** The reads of the directory. */
export function directorySource(database: Database, unsealing: Unsealing): DirectorySource {
  return {
    loadCatalog: () => loadCatalog(database, unsealing),
    findCaller: (keyHash) => findCaller(database, keyHash, unsealing),
  };
}
