import { expect, test } from 'vitest';
import { codeFiles, isTest, readTree } from '../../house/tree.ts';
import { seeded } from '../load.ts';
import { COMMAND_POINTS, drawDeaths, killsOf, POINTS, RECOVERY_POINTS } from './deaths.ts';

test('the server, or a command, is killed at every named fault point of the source', () => {
  const files = codeFiles(readTree());
  const named = files
    .filter(({ path }) => path.startsWith('src/') && !isTest(path) && !path.includes('/suite/'))
    .flatMap(({ text }) => [...text.matchAll(/\bfault\('([^']+)'\)/g)].map(([, point]) => point));
  const commands = Object.entries(COMMAND_POINTS);
  const points = [...Object.keys(POINTS), ...RECOVERY_POINTS, ...commands.map(([point]) => point)];
  expect(new Set(named)).toEqual(new Set(points));
  for (const [point, test] of commands) {
    expect(files.find(({ path }) => path === test)?.text, `${test} kills at ${point}`).toContain(point);
  }
});

test('a short run of both parts kills at every point, and a long one does so by itself', () => {
  const pointsOf = (kills: number, share: 0 | 1): string[] =>
    drawDeaths({ kills, extras: ['both'], share, random: seeded(1) }).flatMap((death) =>
      'point' in death ? [death.point] : [],
    );
  const all = [...Object.keys(POINTS), ...RECOVERY_POINTS].sort();
  expect([...pointsOf(10, 0), ...pointsOf(10, 1)].sort()).toEqual(all);
  expect([...new Set(pointsOf(150, 0))].sort()).toEqual(all);
  const deaths = drawDeaths({ kills: 150, extras: ['database'], share: 0, random: seeded(2) });
  expect(deaths.reduce((sum, death) => sum + killsOf(death), 0)).toBeGreaterThanOrEqual(150);
});
