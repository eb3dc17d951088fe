import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { World } from '../support/world.ts';
import type { Scenario } from './cell.ts';
import type { Client, ClientMaker } from './clients/client.ts';
import { BROKEN } from './scenarios/broken.ts';
import { TOOL_USE } from './scenarios/tools.ts';
import { ENDINGS, WORDS } from './scenarios/words.ts';
import { type Section, sectionText, settlePlace } from './table.ts';
import { UPSTREAMS, type Upstream } from './upstream.ts';
import { gatewayOf, startMatrixWorld } from './world.ts';

export const SCENARIOS: readonly Scenario[] = [...WORDS, ...TOOL_USE, ...ENDINGS, ...BROKEN];

export interface Row {
  /** The name of its table in docs/protocols.md. */
  readonly client: string;
  readonly make: ClientMaker;
  readonly extra?: readonly Scenario[];
  /** Why a cell cannot be: the protocol or the SDK has no word for it. */
  readonly cannot?: (scenario: string, upstream: Upstream) => string | undefined;
}

/** All cells of a client, each asserted on content, and its table in the documents. */
export function matrix(row: Row): void {
  const scenarios = [...SCENARIOS, ...(row.extra ?? [])];
  const found = new Map<string, string>();
  let world: World;
  let client: Client;
  beforeAll(async () => {
    world = await startMatrixWorld();
    client = row.make(gatewayOf(world));
  });
  afterAll(() => world.close());

  describe.concurrent(row.client, () => {
    for (const scenario of scenarios) {
      for (const upstream of UPSTREAMS) {
        const reason = row.cannot?.(scenario.name, upstream);
        const place = `${scenario.name} ${upstream}`;
        if (reason !== undefined) {
          found.set(place, reason);
          continue;
        }
        test(`${scenario.name}, from a vendor that speaks ${upstream}`, async () => {
          for (const mode of scenario.modes) {
            const tag = `${row.client}-${scenario.name}-${upstream}-${mode}`.replaceAll(/[^a-z0-9]+/g, '-');
            await scenario.run({ world, client, upstream, mode, tag });
          }
          found.set(place, 'passed');
        });
      }
    }
  });

  test('docs/protocols.md has the results; if not, run "npm run protocols"', () => {
    const section: Section = { client: row.client, scenarios, own: row.extra ?? [], found };
    const text = sectionText(section);
    expect(settlePlace(row.client, text)).toBe(text);
  });
}
