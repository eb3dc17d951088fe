import { readFileSync } from 'node:fs';
import { hashPassword } from './accounts/password.ts';
import { CATALOG_FILE_BYTES_MAX } from './bounds.ts';
import { defaultCatalog } from './catalog/default.ts';
import { type CatalogChange, formatChange } from './catalog/diff.ts';
import type { CatalogFile, StoredCatalog } from './catalog/document.ts';
import { editCatalog } from './catalog/edit.ts';
import { parseCatalog } from './catalog/file/file.ts';
import { formatProblem } from './catalog/file/problems.ts';
import { formatFreed, listFreed } from './catalog/freed.ts';
import type { Config } from './config.ts';
import { newSealer, type Sealer } from './kernel/encoding/seal.ts';
import type { Logger } from './kernel/log.ts';
import { systemRandom } from './kernel/random.ts';
import { systemClock } from './kernel/time/clock.ts';
import { sealClearDocuments } from './store/accounts/verifications.ts';
import { type ApplyOptions, applyCatalog } from './store/catalog/catalog.ts';
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
  const withKeys = (stored: StoredCatalog): CatalogFile => defaultCatalog(config.environment, stored);
  const changes = await applyCatalog(database, withKeys, applyOptions(setup));
  log.info({ changes: changes.length }, 'default catalogue applied for the vendor keys in the environment');
}

function applyCatalogFile(setup: Setup, path: string): Promise<readonly CatalogChange[]> {
  const text = readCatalogFile(path);
  return applyCatalog(
    setup.database,
    (stored) => readAtStart(setup, { path, text }, stored),
    applyOptions(setup),
  );
}

function applyOptions({ sealer, log }: Setup): ApplyOptions {
  const hash = (password: string): Promise<string> => hashPassword(password, systemRandom);
  return { sealer, log, clock: systemClock, hashPassword: hash };
}

/** A start cannot ask for confirmation, so it makes no price 0 (rule I-102). */
function readAtStart(
  { config }: Setup,
  { path, text }: { readonly path: string; readonly text: string },
  stored: StoredCatalog,
): CatalogFile {
  const result = parseCatalog(text, config.environment, stored);
  if (result.kind === 'invalid') {
    const problems = result.problems.map((problem) => `  ${formatProblem(problem)}`);
    throw new StartRefused(`the catalogue file ${path} is not valid:\n${problems.join('\n')}`);
  }
  const freed = listFreed(stored, editCatalog(result.document, stored, 'part', new Set()));
  if (freed.length === 0) return result.document;
  const lines = freed.map((each) => `  ${formatFreed(each)}`);
  throw new StartRefused(
    `the catalogue file ${path} makes prices 0 or removes them:\n${lines.join('\n')}\n` +
      `If you want that, run "tollgate apply -f ${path} --yes-free" once, and start again.`,
  );
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
