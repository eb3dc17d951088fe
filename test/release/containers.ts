import { mkdtempSync, rmSync } from 'node:fs';
import { copyFile, cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { projectRoot } from '../house/tree.ts';
import { runc } from '../prerequisites.ts';
import type { Program } from '../support/processes.ts';
import { run, startGroup } from './support.ts';

/** What the image runs on: the C and C++ libraries, and users. */
const BASE = ['base-files', 'base-passwd', 'libc6', 'libgcc-s1', 'libstdc++6'];
/** What the package is installed with, besides Node and npm. */
const INSTALL = [...BASE, 'coreutils', 'dash'];
const SUITE = 'bookworm';
const AUTHORITIES = '/etc/ssl/certs/ca-certificates.crt';

/** Images and containers of the test's own, in a folder; nothing of the machine's own is seen or changed. */
export class Podman {
  readonly #folder: string;
  readonly #options: readonly string[];
  /** Podman wants its name to be short. */
  readonly #running = mkdtempSync('/tmp/tollgate-podman-');

  constructor(folder: string) {
    this.#folder = folder;
    this.#options = [
      ...['--root', join(folder, 'storage'), '--runroot', this.#running],
      ...['--cgroup-manager=cgroupfs', '--events-backend=file', '--log-level=error'],
      // Debian's other runtime refuses machines with cgroups of both versions.
      `--runtime=${runc}`,
    ];
  }

  async ask(...words: readonly string[]): Promise<string> {
    return (await run('podman', [...this.#options, ...words], this.#folder)).trim();
  }

  /** On the network of the machine, with a root that cannot be written and no rights. */
  start(words: readonly string[]): Program {
    const safe = ['--read-only', '--tmpfs=/tmp', '--cap-drop=all', '--security-opt=no-new-privileges'];
    // Podman's own limits are above those of some machines, and cannot be set there.
    const limits = ['--ulimit=nofile=4096:4096', '--ulimit=nproc=4096:4096'];
    const options = ['--network=host', ...limits, ...safe];
    return startGroup(['podman', ...this.#options, 'run', ...options, ...words], this.#folder, {});
  }

  /** Ends what still runs, and removes everything. */
  async close(): Promise<void> {
    await this.ask('rm', '--all', '--force', '--time=0');
    await this.ask('rmi', '--all', '--force');
    rmSync(this.#running, { recursive: true, force: true });
  }

  /** Two bases: nothing can be pulled, so both are made of Debian's packages. One is seen to run. */
  async makeBases(): Promise<void> {
    await Promise.all([
      this.#makeBase('base', BASE, async () => {}),
      this.#makeBase('node', INSTALL, async (root) => {
        await mkdir(join(root, 'usr/local/bin'), { recursive: true });
        await copyFile(process.execPath, join(root, 'usr/local/bin/node'));
        const program = await run('sh', ['-c', 'readlink -f "$(command -v npm)"'], this.#folder);
        await cp(join(program.trim(), '../..'), join(root, 'usr/lib/node_modules/npm'), { recursive: true });
        const start = '#!/bin/sh\nexec node /usr/lib/node_modules/npm/bin/npm-cli.js "$@"\n';
        await writeFile(join(root, 'usr/local/bin/npm'), start, { mode: 0o755 });
      }),
    ]);
    const program = this.start(['--rm', 'localhost/node', 'node', '--version']);
    if ((await program.exited).code !== 0) throw new Error(program.stderr());
  }

  async #makeBase(
    name: string,
    packages: readonly string[],
    furnish: (root: string) => Promise<void>,
  ): Promise<void> {
    const root = join(this.#folder, name);
    const options = ['--variant=extract', '--quiet', `--include=${packages.join(',')}`];
    await run('mmdebstrap', [...options, SUITE, root], this.#folder);
    for (const file of ['passwd', 'group']) {
      await copyFile(join(root, `usr/share/base-passwd/${file}.master`), join(root, 'etc', file));
    }
    await furnish(root);
    const archive = `${root}.tar`;
    await run('tar', ['--create', '--file', archive, '--directory', root, '.'], this.#folder);
    await this.ask('import', '--quiet', archive, `localhost/${name}`);
  }

  /** `context` holds `dist/release`. npm asks the same registry as outside, for nothing that it has. */
  async build(context: string, name: string, words: Readonly<Record<string, string>>): Promise<void> {
    const settings = join(this.#folder, 'npmrc');
    const ofNpm = async (name: string): Promise<string> =>
      (await run('npm', ['config', 'get', name], this.#folder)).trim();
    const [cache, registry] = [await ofNpm('cache'), await ofNpm('registry')];
    const lines = [
      'prefer-offline=true',
      `registry=${registry}`,
      `cafile=${AUTHORITIES}`,
      'update-notifier=false',
    ];
    await writeFile(settings, `${lines.join('\n')}\n`);
    const bases = { NODE_IMAGE: 'localhost/node', BASE_IMAGE: 'localhost/base' };
    await this.ask(
      ...['build', '--isolation=chroot', '--network=host', '--format=docker', '--pull-never', '--quiet'],
      ...['--volume', `${cache}:/root/.npm`, '--volume', `${settings}:/root/.npmrc:ro`],
      ...['--volume', `${AUTHORITIES}:${AUTHORITIES}:ro`],
      ...Object.entries({ ...bases, ...words }).flatMap(([key, value]) => ['--build-arg', `${key}=${value}`]),
      ...['--file', join(projectRoot, 'Dockerfile'), '--ignorefile', join(projectRoot, '.dockerignore')],
      ...['--tag', `localhost/${name}`, context],
    );
  }
}
