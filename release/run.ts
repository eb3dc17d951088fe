/**
 * `npm run release -- X.Y.Z`: builds the npm package, its bill of materials, the licences of what is in it,
 * and the checksums of all that, into `dist/release/X.Y.Z`, and does nothing else. With `--publish` it also
 * sets the tag and gives the package to the registry.
 */
import { execFileSync } from 'node:child_process';
import { hash } from 'node:crypto';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { isCurrent } from '../src/console/sources.ts';
import { CONSOLE_PACKAGES, licenceNotice, shippedPackages, withDependencies } from './licences.ts';
import { packagesIn, writePackage } from './package-folder.ts';
import { projectRoot, readManifest } from './project.ts';
import { isVersion, refusePublishing } from './refusals.ts';
import { type Bill, billOfRelease } from './sbom.ts';

const OUTPUT_BYTES_MAX = 32 * 1024 * 1024;
const USAGE = 'Usage: npm run release -- X.Y.Z [--folder PATH] [--publish]';

function run(program: string, parameters: readonly string[], folder = projectRoot): string {
  return execFileSync(program, parameters, {
    cwd: folder,
    encoding: 'utf8',
    maxBuffer: OUTPUT_BYTES_MAX,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

/** Built beside and moved into place, so that there is never half a release. */
async function build(version: string, target: string): Promise<void> {
  if (!isCurrent()) run(process.execPath, ['console/build/build.ts']);
  mkdirSync(dirname(target), { recursive: true });
  const folder = mkdtempSync(`${target}-`);
  try {
    chmodSync(folder, 0o755);
    await fill(folder, version);
    rmSync(target, { recursive: true, force: true });
    renameSync(folder, target);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function fill(folder: string, version: string): Promise<void> {
  const staged = join(folder, 'package');
  const bundle = await writePackage(staged, version);
  const shipped = shippedPackages([...packagesIn(bundle), ...withDependencies(CONSOLE_PACKAGES)]);
  const notice = licenceNotice(shipped);
  for (const place of [staged, folder]) writeFileSync(join(place, 'LICENCES.txt'), notice);
  const names = shipped.map((one) => `${one.name}@${one.version}`);
  const { optionalDependencies = {} } = readManifest('.');
  const optional = Object.entries(optionalDependencies).map(([name, its]) => `${name}@${its}`);
  const known = run('npm', ['sbom', '--package-lock-only', '--sbom-format=cyclonedx', '--loglevel=error']);
  const bill = billOfRelease(JSON.parse(known) as Bill, version, [...names, ...optional]);
  writeFileSync(join(folder, `tollgate-${version}.cdx.json`), `${JSON.stringify(bill, undefined, 2)}\n`);
  run('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder], staged);
  rmSync(staged, { recursive: true });
  writeFileSync(join(folder, 'SHA256SUMS'), checksums(folder));
}

/** For `sha256sum --check`. */
function checksums(folder: string): string {
  const line = (name: string): string => `${hash('sha256', readFileSync(join(folder, name)))}  ${name}\n`;
  return readdirSync(folder).sort().map(line).join('');
}

function publish(version: string, folder: string): void {
  run('git', ['tag', '--annotate', '--message', `Tollgate ${version}`, `v${version}`]);
  run('git', ['push', 'origin', `v${version}`]);
  run('npm', ['publish', join(folder, `tollgate-${version}.tgz`)]);
}

async function main(): Promise<number> {
  const options = { folder: { type: 'string' }, publish: { type: 'boolean' } } as const;
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  const [version = ''] = positionals;
  if (positionals.length !== 1 || !isVersion(version)) {
    console.error(USAGE);
    return 2;
  }
  if (values.publish === true) {
    const problems = refusePublishing({
      version,
      manifestVersion: readManifest('.').version,
      changes: run('git', ['status', '--porcelain']),
      tags: run('git', ['tag', '--list']).split('\n'),
      changelog: readFileSync(join(projectRoot, 'CHANGELOG.md'), 'utf8'),
    });
    for (const problem of problems) console.error(`release: ${problem}`);
    if (problems.length > 0) return 1;
  }
  const folder = values.folder ?? join(projectRoot, 'dist', 'release', version);
  await build(version, folder);
  console.log(
    `built ${relative(process.cwd(), folder)}:\n${readFileSync(join(folder, 'SHA256SUMS'), 'utf8')}`,
  );
  if (values.publish === true) publish(version, folder);
  else console.log('Nothing was published: --publish sets the tag and publishes.');
  return 0;
}

process.exitCode = await main();
