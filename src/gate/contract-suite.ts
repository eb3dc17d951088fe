import { afterEach, beforeEach, describe } from 'vitest';
import { amounts, amountsOverTime } from './suite/amounts.ts';
import { coverage, coverageOverTime } from './suite/coverage.ts';
import { exactness, refusals } from './suite/exactness.ts';
import { caps, funds, holds, months, settlements } from './suite/money.ts';
import { refusedReholds, reholds } from './suite/reholds.ts';
import { schedules } from './suite/schedules.ts';
import { slots } from './suite/slots.ts';
import { anchors, independence, order, otherDimensions, tokens } from './suite/windows.ts';
import { callOf, type GateUnderTest, leaseOf, type MakeGate, type World } from './suite/world.ts';

const CHAPTERS = {
  exactness,
  refusals,
  'windows start at first use': anchors,
  'windows stand alone': independence,
  'order of checks': order,
  'token windows': tokens,
  'image and video windows': otherDimensions,
  'amount windows': amounts,
  'amount windows over time': amountsOverTime,
  coverage,
  'coverage over time': coverageOverTime,
  reholds,
  'refused reholds': refusedReholds,
  slots,
  holds,
  funds,
  settlements,
  'monthly cap': caps,
  months,
} as const;

/** The contract of gate/contract.ts as sentences; every implementation runs all of them. */
export function gateContract(name: string, makeGate: MakeGate): void {
  describe(`gate contract: ${name}`, () => {
    let under: GateUnderTest;
    const world: World = {
      gate: () => under.gate,
      advance: async (ms) => under.advance(ms),
      enter: async (parts) => under.gate.enter(callOf(parts)),
      lease: async (parts) => leaseOf(await under.gate.enter(callOf(parts))),
    };
    beforeEach(async () => {
      under = await makeGate();
    });
    afterEach(async () => {
      await under.close();
    });
    for (const [title, chapter] of Object.entries(CHAPTERS)) describe(title, () => chapter(world));
  });
  describe(`gate contract: ${name}: random schedules`, () => schedules(makeGate));
}
