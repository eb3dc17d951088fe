import { mkdtempSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, sep } from 'node:path';
import { writeBundle } from '../../../release/bundle.ts';
import { readManifest } from '../../../release/project.ts';
import { projectRoot } from '../../house/tree.ts';
import { PROGRAMS } from '../processes.ts';

/**
 * Builds the programs as they ship, for a run that starts hundreds of them: a bundle starts with a third of
 * the work of its sources. They go with the folder of the run.
 */
export default async function buildPrograms(): Promise<void> {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'programs-'));
  const sources = relative(folder, projectRoot).split(sep).join('/');
  const { version } = readManifest('.');
  await writeBundle(folder, version, { programs: { simulator: 'sim/main.ts' }, sources });
  process.env[PROGRAMS] = folder;
}
