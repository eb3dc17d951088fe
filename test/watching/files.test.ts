import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { projectRoot } from '../house/tree.ts';
import { needs, PROMETHEUS } from '../needs.ts';
import { runPromtool } from './prometheus.ts';
import { type Panel, panelExpressions, readAlerts, readDashboard } from './shipped.ts';

/** The rules and the dashboard of deploy/, without a server. */

const RULES = join(projectRoot, 'deploy/prometheus/tollgate.rules.yml');
const RULES_TEST = join(import.meta.dirname, 'rules.yml');

describe('promtool', needs(PROMETHEUS), () => {
  test('finds nothing wrong with the rules and the example of a scraper', () => {
    const config = join(projectRoot, 'deploy/prometheus/prometheus.yml');
    expect(runPromtool(['check', 'rules', RULES])).toMatchObject({ status: 0 });
    expect(runPromtool(['check', 'config', config])).toMatchObject({ status: 0 });
  });

  test('finds that each alert fires when it should, and none for a healthy node', () => {
    expect(runPromtool(['test', 'rules', RULES_TEST])).toEqual({
      status: 0,
      said: expect.stringContaining('SUCCESS'),
    });
  });

  test('reads every expression of the dashboard, and refuses a wrong one', () => {
    const expressions = panelExpressions(readDashboard());
    expect(expressions.length).toBeGreaterThan(20);
    expect(checkExpressions(expressions)).toMatchObject({ status: 0 });
    expect(checkExpressions(['sum by (model (up)'])).toMatchObject({ status: 1 });
  });
});

/** promtool checks expressions in rules only, so each becomes one. */
function checkExpressions(expressions: readonly string[]): ReturnType<typeof runPromtool> {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-panels-'));
  const file = join(folder, 'panels.yml');
  const rules = expressions.map((expr, index) => ({ record: `panel:${index}`, expr }));
  writeFileSync(file, JSON.stringify({ groups: [{ name: 'panels', rules }] }));
  const result = runPromtool(['check', 'rules', file]);
  rmSync(folder, { recursive: true });
  return result;
}

test('every alert says what is wrong, how bad it is and where to read on, and has a test', () => {
  const alerts = readAlerts();
  const tests = readFileSync(RULES_TEST, 'utf8');
  expect(alerts.length).toBeGreaterThan(10);
  expect(new Set(alerts.map(({ alert }) => alert)).size).toBe(alerts.length);
  for (const { alert, labels, annotations } of alerts) {
    expect(annotations.summary, alert).toMatch(/^\S.{20,}/);
    expect(annotations.description, alert).toMatch(/\.$/);
    expect(labels.severity, alert).toMatch(/^(?:critical|warning)$/);
    expect(annotations.runbook, alert).toMatch(/^docs\/operations\.md#[\w-]+$/);
    expect(tests, alert).toContain(`alertname="${alert}"`);
  }
});

describe('the dashboard', () => {
  const dashboard = readDashboard();
  const { panels } = dashboard;

  test('has panels that are named once, lie in the grid and do not overlap', () => {
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    expect(new Set(panels.map((panel) => `${panel.type} ${panel.title}`)).size).toBe(panels.length);
    for (const { gridPos, title: name } of panels) {
      expect(gridPos.x >= 0 && gridPos.w > 0 && gridPos.h > 0, name).toBe(true);
      expect(gridPos.x + gridPos.w, name).toBeLessThanOrEqual(24);
    }
    const overlapping = panels.flatMap((one, index) =>
      panels.slice(index + 1).filter((other) => overlap(one, other)),
    );
    expect(overlapping.map(({ title: name }) => name)).toEqual([]);
  });

  test('takes its data source from a variable, in every panel and target', () => {
    expect(dashboard.templating.list[0]).toMatchObject({
      name: 'datasource',
      type: 'datasource',
      query: 'prometheus',
    });
    const wanted = { type: 'prometheus', uid: `\${datasource}` };
    for (const { type, title: name, datasource, targets = [] } of panels) {
      if (type === 'row') continue;
      expect(datasource, name).toEqual(wanted);
      expect(targets.length, name).toBeGreaterThan(0);
      expect(new Set(targets.map(({ refId }) => refId)).size, name).toBe(targets.length);
      for (const target of targets) expect(target.datasource, name).toEqual(wanted);
    }
  });

  test('has the form that Grafana imports', () => {
    expect(dashboard).toMatchObject({
      uid: 'tollgate',
      title: 'Tollgate',
      schemaVersion: expect.any(Number),
    });
    expect(new Set(panels.map(({ type }) => type))).toEqual(new Set(['row', 'stat', 'timeseries']));
  });
});

function overlap({ gridPos: one }: Panel, { gridPos: other }: Panel): boolean {
  const beside = one.x + one.w <= other.x || other.x + other.w <= one.x;
  const above = one.y + one.h <= other.y || other.y + other.h <= one.y;
  return !beside && !above;
}
