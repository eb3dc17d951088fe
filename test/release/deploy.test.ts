import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { SETTINGS } from '../../src/config.ts';
import { projectRoot } from '../house/tree.ts';
import { needs } from '../needs.ts';
import { complaintsAbout, fetchTools, helm, KUBERNETES_VERSIONS } from './kubernetes.ts';

const DEPLOY = join(projectRoot, 'deploy');
const read = (path: string): string => readFileSync(join(DEPLOY, path), 'utf8');
const settings = new Set(Object.values(SETTINGS).map(({ name }) => name));
const unknown = (names: readonly string[]): string[] => names.filter((name) => !settings.has(name as never));

const folder = mkdtempSync(join(tmpdir(), 'tollgate-deploy-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const HELM = fetchTools(folder);

describe('compose.yaml', () => {
  const compose = parse(read('compose/compose.yaml'), { merge: true });

  test('has two nodes with a volume each, behind a proxy, on one database and one Valkey', () => {
    const { 'node-1': one, 'node-2': other, ...rest } = compose.services;
    expect(Object.keys(rest).sort()).toEqual(['caddy', 'migrate', 'postgres', 'valkey']);
    expect([one.volumes, other.volumes]).toEqual([['node-1:/data'], ['node-2:/data']]);
    for (const node of [one, other]) {
      expect(node).toMatchObject({ read_only: true, cap_drop: ['ALL'], init: true });
      expect(node.depends_on.migrate).toEqual({ condition: 'service_completed_successfully' });
      const names = Object.keys(node.environment);
      expect(unknown(names)).toEqual([]);
      expect(names).toEqual(expect.arrayContaining(['DATABASE_URL', 'REDIS_URL', 'TOLLGATE_SECRET']));
    }
    // Nothing but the proxy can be reached from outside.
    const open = Object.entries(compose.services).filter(([, service]) => 'ports' in (service as object));
    expect(open.map(([name]) => name)).toEqual(['caddy']);
    expect(compose.networks.inside).toEqual({ internal: true });
  });

  test('uses only variables that its example has, and the proxy knows both nodes', () => {
    const used = [...read('compose/compose.yaml').matchAll(/\$\{(\w+)/g)].map(([, name]) => name);
    const given = [...read('compose/example.env').matchAll(/^(\w+)=/gm)].map(([, name]) => name);
    expect([...new Set(used)].sort()).toEqual(given.sort());
    expect(read('compose/Caddyfile')).toContain('reverse_proxy node-1:8080 node-2:8080');
  });
});

describe('the Helm chart', needs(HELM), () => {
  const REQUIRED = ['DATABASE_URL', 'REDIS_URL', 'TOLLGATE_SECRET'].map((name) => `--set=secrets.${name}=x`);
  const EVERYTHING = [
    ...['--set=ingress.enabled=true', '--set=ingress.tlsSecret=tls', '--set=ingress.className=nginx'],
    ...['--set=autoscaling.enabled=true', '--set=catalog=x', '--set=image.pullSecrets[0].name=pull'],
    ...['--set=persistence.storageClass=fast', '--set=nodeSelector.disk=ssd', '--set=podAnnotations.a=b'],
  ];
  cpSync(join(DEPLOY, 'helm', 'tollgate'), join(folder, 'chart'), { recursive: true });

  const render = (parameters: readonly string[]) => {
    const { status, stdout, stderr } = helm(folder, ['template', 'tollgate', 'chart', ...parameters]);
    expect([status, stderr]).toEqual([0, '']);
    return parseAllDocuments(stdout).map((document) => document.toJS());
  };

  test('is accepted by helm lint, and wants its secrets', () => {
    const { status, stdout } = helm(folder, ['lint', '--strict', 'chart', ...REQUIRED]);
    expect(status, stdout).toBe(0);
    expect(helm(folder, ['template', 'chart']).stderr).toContain('secrets.DATABASE_URL is required');
    expect(helm(folder, ['template', 'chart', '--set=existingSecret=mine']).status).toBe(0);
  });

  test.each(KUBERNETES_VERSIONS)(
    'renders what Kubernetes %s accepts, with few values and with all',
    (version) => {
      const [least, most] = [render(REQUIRED), render([...REQUIRED, ...EVERYTHING])];
      const kinds = (objects: readonly { kind: string }[]): string[] =>
        objects.map(({ kind }) => kind).sort();
      const always = ['Job', 'PodDisruptionBudget', 'Secret', 'Service', 'Service', 'StatefulSet'];
      expect(kinds(least)).toEqual(always);
      const also = ['HorizontalPodAutoscaler', 'Ingress', 'Secret'];
      expect(kinds(most)).toEqual([...always, ...also].sort());
      expect([...least, ...most].flatMap((one) => complaintsAbout(one, folder, version))).toEqual([]);
      const [set] = most.filter(({ kind }) => kind === 'StatefulSet');
      set.spec.template.spec.containers[0].readinesProbe = {};
      expect(complaintsAbout(set, folder, version)).toHaveLength(1);
    },
  );

  test('migrates before the roll-out, keeps variables of services away, and names only settings there are', () => {
    const objects = render([...REQUIRED, ...EVERYTHING]);
    const [job, set] = ['Job', 'StatefulSet'].map((kind) => objects.find((one) => one.kind === kind));
    expect(job.metadata.annotations['helm.sh/hook']).toBe('pre-install,pre-upgrade');
    for (const { spec } of [job.spec.template, set.spec.template]) {
      // A service named tollgate would set TOLLGATE_PORT to its address.
      expect(spec.enableServiceLinks).toBe(false);
      expect(spec.securityContext.runAsNonRoot).toBe(true);
    }
    const [container] = set.spec.template.spec.containers;
    expect(unknown(container.env.map(({ name }: { name: string }) => name))).toEqual([]);
  });
});
