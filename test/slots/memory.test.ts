import { test } from 'vitest';
import { PATIENCE_MS, proveSlots } from './prove-slots.ts';

test('however calls end, no slot stays in use, with the gate in memory', () => proveSlots(), PATIENCE_MS);
