import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { projectRoot } from '../house/tree.ts';

const DAY_MS = 86_400_000;

export interface DemoCatalog {
  readonly catalog: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** The demo's catalogue in front of the simulated vendors of a world, and the variables it names. */
export async function demoCatalog(nowMs: number): Promise<DemoCatalog> {
  const written = await readFile(join(projectRoot, 'src/cli/demo/demo-catalog.yaml'), 'utf8');
  const day = (days: number): string => new Date(nowMs + days * DAY_MS).toISOString().slice(0, 10);
  const password = 'a demo password';
  return {
    catalog: written.replaceAll('DEMO_VENDORS', 'SIM'),
    environment: {
      DEMO_OPERATOR_PASSWORD: password,
      DEMO_USER_PASSWORD: password,
      DEMO_OTHERS_PASSWORD: password,
      DEMO_YESTERDAY: day(-1),
      DEMO_NEXT_WEEK: day(7),
    },
  };
}
