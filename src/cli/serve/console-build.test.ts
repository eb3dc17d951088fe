import { expect, test, vi } from 'vitest';
import { isCurrent } from '../../console/sources.ts';
import { silentLogger } from '../../kernel/log.ts';
import { buildConsole } from './console-build.ts';

test('a console that is missing or stale is built while the server starts, once', async () => {
  const info = vi.fn();
  const warn = vi.fn();
  const wasCurrent = isCurrent();
  const building = buildConsole({ ...silentLogger, info, warn });
  try {
    await vi.waitFor(() => expect(isCurrent()).toBe(true), { timeout: 120_000, interval: 250 });
    if (!wasCurrent) await vi.waitFor(() => expect(info).toHaveBeenCalledOnce(), { timeout: 60_000 });
    expect(warn).not.toHaveBeenCalled();
  } finally {
    building.stop();
  }
});
