import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { projectRoot } from '../house/tree.ts';

/** The files of deploy/ for Prometheus and Grafana, as far as tests read them. */

export interface Alert {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly description: string; readonly runbook: string };
}

export interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly datasource?: { readonly type: string; readonly uid: string };
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets?: readonly {
    readonly refId: string;
    readonly expr: string;
    readonly datasource: { readonly type: string; readonly uid: string };
  }[];
}

export interface Dashboard {
  readonly uid: string;
  readonly title: string;
  readonly schemaVersion: number;
  readonly templating: {
    readonly list: readonly { readonly name: string; readonly type: string; readonly query: unknown }[];
  };
  readonly panels: readonly Panel[];
}

const read = (path: string): string => readFileSync(join(projectRoot, path), 'utf8');

export function readAlerts(): readonly Alert[] {
  const { groups } = parse(read('deploy/prometheus/tollgate.rules.yml')) as {
    readonly groups: readonly { readonly rules: readonly Alert[] }[];
  };
  return groups.flatMap(({ rules }) => rules);
}

export function readDashboard(): Dashboard {
  return JSON.parse(read('deploy/grafana/tollgate.json')) as Dashboard;
}

/** Expressions as Prometheus reads them, with values for the variables of Grafana. */
export function panelExpressions({ panels }: Dashboard): readonly string[] {
  return panels
    .flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))
    .map((expr) =>
      expr
        .replaceAll('$__rate_interval', '1m')
        .replaceAll('$__range', '6h')
        .replaceAll('"$instance"', '".*"'),
    );
}

/** The metrics that an expression names; a histogram is named by its parts. */
export function metricsIn(expression: string): readonly string[] {
  const names = expression.match(/\b(?:tollgate|process|nodejs)_\w+/g) ?? [];
  return names.map((name) => name.replace(/_(?:bucket|sum|count)$/, ''));
}
