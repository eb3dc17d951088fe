import { readFileSync } from 'node:fs';
import { hashPassword } from './accounts/password.ts';
import { CATALOG_FILE_BYTES_MAX } from './bounds.ts';
import { defaultCatalog } from './catalog/default.ts';
import { type CatalogChange, formatChange } from './catalog/diff.ts';
import { parseCatalog } from './catalog/file/file.ts';
import { formatProblem } from './catalog/file/problems.ts';
import type { Config } from './config.ts';
import { newSealer, type Sealer } from './kernel/encoding/seal.ts';
import type { Logger } from './kernel/log.ts';
import { systemRandom } from './kernel/random.ts';
import { systemClock } from './kernel/time/clock.ts';
import { sealClearDocuments } from './store/accounts/verifications.ts';
import { type ApplyOptions, applyCatalog, loadCatalog } from './store/catalog/catalog.ts';
import type { Database } from './store/database.ts';
import { isRightSecret } from './store/sealing.ts';
import { NextSecret, readSecret } from './store/secret-file.ts';

/** The start failed, with a message for the person who starts the server. Nothing is left running. */
export class StartRefused extends Error {
  override readonly name = 'StartRefused';
}

/** What a server and a command need to set up an open store: the secret and the catalogue. */
export interface Setup {
  readonly config: Config;
  readonly database: Database;
  readonly sealer: Sealer;
  readonly log: Logger;
}

export async function openSealer(config: Config, database: Database): Promise<Sealer> {
  const secret = readSecret(config.secret, config.dataDirectory, systemRandom);
  const sealer = newSealer([secret], systemRandom);
  if (await isRightSecret(database, sealer)) {
    await sealClearDocuments(database, sealer);
    return sealer;
  }
  const { dataDirectory } = config;
  if (config.secret === undefined && new NextSecret(dataDirectory).find() !== undefined) {
    throw new StartRefused('a rotation of the secret was interrupted: run "tollgate secret rotate" again');
  }
  throw new StartRefused(
    'TOLLGATE_SECRET (or the file "secret" in the data directory) is not the secret that this data was encrypted with',
  );
}

/**
 * At start: applies the catalogue file, or without one a default catalogue for the vendor keys that are set.
 */
export async function prepareCatalog(setup: Setup): Promise<void> {
  const { config, database, log } = setup;
  if (config.catalogFile !== undefined) {
    const changes = await applyCatalogFile(setup, config.catalogFile);
    log.info({ changes: changes.length, file: config.catalogFile }, 'catalogue file applied');
    for (const change of changes) log.debug({}, formatChange(change));
    return;
  }
  const { openaiApiKey, anthropicApiKey, geminiApiKey } = config;
  if (openaiApiKey === undefined && anthropicApiKey === undefined && geminiApiKey === undefined) return;
  const options = applyOptions(setup);
  const stored = await loadCatalog(database, options);
  const changes = await applyCatalog(database, defaultCatalog(config.environment, stored), options);
  log.info({ changes: changes.length }, 'default catalogue applied for the vendor keys in the environment');
}

async function applyCatalogFile(setup: Setup, path: string): Promise<readonly CatalogChange[]> {
  const options = applyOptions(setup);
  return applyCatalog(setup.database, await readDocument(setup, path, options), options);
}

function applyOptions({ sealer, log }: Setup): ApplyOptions {
  const hash = (password: string): Promise<string> => hashPassword(password, systemRandom);
  return { sealer, log, clock: systemClock, hashPassword: hash };
}

async function readDocument({ config, database }: Setup, path: string, options: ApplyOptions) {
  const known = await loadCatalog(database, options);
  const result = parseCatalog(readCatalogFile(path), config.environment, known);
  if (result.kind === 'catalog') return result.document;
  const problems = result.problems.map((problem) => `  ${formatProblem(problem)}`);
  throw new StartRefused(`the catalogue file ${path} is not valid:\n${problems.join('\n')}`);
}

export function readCatalogFile(path: string, name = 'catalogue file'): string {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new StartRefused(`the ${name} ${path} cannot be read: ${why}`);
  }
  if (bytes.length > CATALOG_FILE_BYTES_MAX) throw new StartRefused(`the ${name} ${path} is too large`);
  return bytes.toString('utf8');
}
