import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { OPERATIONS } from '../operations/table.ts';
import { printClient } from '../platform/openapi/client-code.ts';
import { createDocument } from '../platform/openapi/openapi.ts';

/** `npm run client -- <file>` writes the typed client of the platform API, which the console uses. */
export function clientCode(): string {
  return printClient(createDocument(OPERATIONS));
}

function write(file: string | undefined): void {
  if (file === undefined) throw new Error('usage: npm run client -- <file>');
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, clientCode());
}

if (import.meta.main) write(process.argv[2]);
