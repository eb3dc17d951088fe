import { test } from 'vitest';
import { PATIENCE_MS, proveSlots } from './prove-slots.ts';

test('no slot stays in use, however calls end, with the gate in memory', () => proveSlots(), PATIENCE_MS);
