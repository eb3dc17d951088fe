import { afterEach, beforeEach, describe } from 'vitest';
import { amounts, amountsOfNothing, amountsOverTime, severalAmounts } from './suite/amounts.ts';
import {
  coverage,
  coverageAnchors,
  coverageBounds,
  coverageOrWallet,
  coverageOverTime,
  coverageUnderPolicy,
} from './suite/coverage.ts';
import { exactness, refusals } from './suite/exactness.ts';
import { looks, looksOverTime } from './suite/looks.ts';
import { caps, funds, grants, holds, months, monthsAhead, settlements } from './suite/money.ts';
import { overruns } from './suite/overruns.ts';
import { refusedReholds, reholds, sameCall } from './suite/reholds.ts';
import { schedules } from './suite/schedules.ts';
import { scopes, shares } from './suite/scopes.ts';
import { slots } from './suite/slots.ts';
import { anchors, independence, order, otherDimensions, tokens } from './suite/windows.ts';
import { createCall, type GateUnderTest, type MakeGate, requireLease, type World } from './suite/world.ts';

const CHAPTERS = {
  exactness,
  refusals,
  'windows start at first use': anchors,
  'windows stand alone': independence,
  'order of checks': order,
  'several policies': scopes,
  'token windows': tokens,
  'image and video windows': otherDimensions,
  'amount windows': amounts,
  'several amount windows': severalAmounts,
  'amount windows over time': amountsOverTime,
  'amount windows and calls that cost nothing': amountsOfNothing,
  coverage,
  'coverage or wallet': coverageOrWallet,
  'bounds of coverage': coverageBounds,
  'coverage over time': coverageOverTime,
  'coverage starts at first use': coverageAnchors,
  'coverage under a policy': coverageUnderPolicy,
  reholds,
  'a rehold is the same call': sameCall,
  'refused reholds': refusedReholds,
  slots,
  holds,
  funds,
  settlements,
  overruns,
  'monthly cap': caps,
  grants,
  shares,
  months,
  'months ahead': monthsAhead,
  looks,
  'looks over time': looksOverTime,
} as const;

/** The contract of gate/contract.ts as sentences; every implementation runs all of them. */
export function gateContract(name: string, makeGate: MakeGate): void {
  describe(`gate contract: ${name}`, () => {
    let under: GateUnderTest;
    const world: World = {
      gate: () => under.gate,
      advance: async (ms) => under.advance(ms),
      enter: async (parts) => under.gate.enter(createCall(parts)),
      lease: async (parts) => requireLease(await under.gate.enter(createCall(parts))),
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
