import { describe, expect, test } from 'vitest';
import { OPERATOR_ALERTS, USER_ALERTS } from '../../src/alerts/contract.ts';
import { SETTINGS } from '../../src/config.ts';
import { codeFiles, isTest, readTree, treeOf } from '../house/tree.ts';
import { metricsIn, panelExpressions, readAlerts, readDashboard } from '../watching/shipped.ts';
import { pathsOf, unservedPaths } from './endpoints.ts';
import {
  metricsOf,
  rowsBelow,
  unknownAlerts,
  unknownMetrics,
  unknownVariables,
  variablesIn,
} from './names.ts';

const tree = readTree();
const documents = tree.filter(({ path }) => path.endsWith('.md'));
const files = tree.filter(({ path }) => !path.endsWith('.md') && !path.startsWith('test/documents/'));
const documentOf = (path: string) => documents.find((file) => file.path === path) ?? { path, text: '' };

/** Node, the C library and OpenTelemetry's code read these. The last one is part of an example. */
const OF_OTHERS: readonly string[] = [
  'NODE_USE_SYSTEM_CA',
  'MALLOC_ARENA_MAX',
  'OTEL_EXPORTER_OTLP_TRACES_HEADERS',
  'OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE',
  'AWS_EXTERNAL_ID',
];
/** The Compose file reads these itself. */
const OF_COMPOSE: readonly string[] = ['TOLLGATE_DOMAIN', 'TOLLGATE_IMAGE'];
/** The runbooks of docs/operations.md that are about one alert or two. */
const RUNBOOKS: Readonly<Record<string, string>> = {
  TollgateVendorDown: 'a-vendor-is-down',
  TollgateVendorFails: 'a-vendor-is-down',
  TollgateJournalNotWritable: 'the-disk-of-the-journal-is-full',
  TollgateRedisAway: 'redis-is-lost',
};
function limitText(expression: string, limit: number): string {
  if (limit > 1) return limit.toLocaleString('en');
  return expression.includes('_seconds') ? `${limit * 1000} ms` : `${limit * 100} %`;
}

/** Names of cookies look like metrics. */
const COOKIES: readonly string[] = ['tollgate_session', 'tollgate_csrf', 'tollgate_device'];

describe('every variable that a document names', () => {
  const settings: readonly string[] = Object.values(SETTINGS).map(({ name }) => name);
  const known = new Set([...settings, ...OF_OTHERS, ...variablesIn(files)]);

  test('is a setting, or something in the repository reads it', () => {
    expect(unknownVariables(documents, known)).toEqual([]);
  });

  test('is a setting if its name begins with TOLLGATE_ and a file of deploy/ sets it', () => {
    const deployed = files.filter(({ path }) => path.startsWith('deploy/'));
    const named = [...variablesIn(deployed)].filter((name) => name.startsWith('TOLLGATE_'));
    expect(named.length).toBeGreaterThan(5);
    expect(named.filter((name) => !settings.includes(name) && !OF_COMPOSE.includes(name))).toEqual([]);
  });

  test('is refused otherwise', () => {
    const text = '# A\n`TOLLGATE_PORTS`, `TOLLGATE_PORT`, NO_CODE\n```\nNO_SUCH=1 tollgate\n```\n';
    const made = treeOf({ 'docs/a.md': text });
    expect(unknownVariables(made, known)).toEqual(['docs/a.md: TOLLGATE_PORTS', 'docs/a.md: NO_SUCH']);
  });
});

describe('every metric that a document names', () => {
  const server = codeFiles(files).filter(({ path }) => path.startsWith('src/') && !isTest(path));
  const metrics = metricsOf(server);
  const known = new Set([...metrics, ...COOKIES]);

  test('is one of the server, and docs/watching.md lists each of these', () => {
    expect(unknownMetrics(documents, known)).toEqual([]);
    expect([...rowsBelow(documentOf('docs/watching.md'), '## Metrics')].sort()).toEqual([...metrics].sort());
  });

  test('is one of the server in alerts and in the dashboard', () => {
    const expressions = [...readAlerts().map(({ expr }) => expr), ...panelExpressions(readDashboard())];
    const used = new Set(expressions.flatMap(metricsIn));
    expect(used.size).toBeGreaterThan(20);
    expect([...used].filter((name) => !metrics.has(name))).toEqual([]);
  });

  test('is refused otherwise', () => {
    const text = '# A\n`tollgate_ready`, `tollgate_call_duration_seconds_bucket`, `tollgate_readyz`\n';
    expect(unknownMetrics(treeOf({ 'docs/a.md': text }), known)).toEqual(['docs/a.md: tollgate_readyz']);
  });
});

describe('every alert that a document names', () => {
  const shipped = readAlerts().map(({ alert }) => alert);

  test('is in the rules, and docs/watching.md lists each of these in their order', () => {
    expect(unknownAlerts(documents, new Set(shipped))).toEqual([]);
    expect(rowsBelow(documentOf('docs/watching.md'), '## Alerts')).toEqual(shipped);
  });

  test('has its threshold in docs/watching.md', () => {
    const lines = documentOf('docs/watching.md').text.split('\n');
    const compared = readAlerts().flatMap(({ alert, expr }) => {
      const limit = /> ([\d.]+)\b(?! \*)/.exec(expr)?.[1];
      if (limit === undefined || !/^(?:0\.\d+|\d{3,})$/.test(limit)) return [];
      return [
        [lines.find((line) => line.startsWith(`| \`${alert}\``)) ?? '', limitText(expr, Number(limit))],
      ];
    });
    expect(compared.length).toBeGreaterThan(4);
    expect(compared.filter(([line = '', text = '']) => !line.includes(text))).toEqual([]);
  });

  test('leads to its runbook if there is one', () => {
    const runbooks = new Map(readAlerts().map(({ alert, annotations }) => [alert, annotations.runbook]));
    for (const [alert, anchor] of Object.entries(RUNBOOKS))
      expect(runbooks.get(alert), alert).toBe(`docs/operations.md#${anchor}`);
  });

  test('that Tollgate sends itself has its row in docs/alerts.md', () => {
    const rows = rowsBelow(documentOf('docs/alerts.md'), '## Which there are');
    expect(rows).toEqual([...OPERATOR_ALERTS, ...USER_ALERTS]);
  });

  test('is refused otherwise', () => {
    const made = treeOf({ 'docs/a.md': '# A\n`TollgateDown`, `TollgateUp`, TollgateNot, Tollgate\n' });
    expect(unknownAlerts(made, new Set(shipped))).toEqual(['docs/a.md: TollgateUp']);
  });
});

describe('every path that a document names', () => {
  /** Paths of vendors. */
  const others = ['sim/README.md', 'docs/vendors.md'];
  const compared = documents.filter(({ path }) => !others.includes(path));

  test('is served, with its method', () => {
    expect(unservedPaths(compared)).toEqual([]);
    expect(compared.flatMap(pathsOf).length).toBeGreaterThan(60);
  });

  test('is refused otherwise', () => {
    const spans = '`GET /v1/models`, `GET /v1/model`, `PATCH /v1/responses`, `/api/v1/admin/call`, `/v1/{x}`';
    const curl = "```sh\ncurl 'http://127.0.0.1:8080/v1/chat/completion'\n```\n";
    const served =
      '`GET /v1/responses/{id}`, `POST /v1beta/models/{model}:embedContent`, `/v1/videos`, `/v1`';
    expect(unservedPaths(treeOf({ 'docs/a.md': `# A\n${spans}\n${served}\n${curl}` }))).toEqual([
      'docs/a.md: GET /v1/model',
      'docs/a.md: PATCH /v1/responses',
      'docs/a.md: /api/v1/admin/call',
      'docs/a.md: /v1/{x}',
      'docs/a.md: /v1/chat/completion',
    ]);
  });
});
