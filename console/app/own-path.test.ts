import { expect, test } from 'vitest';
import { ownPath } from './own-path.ts';

test('paths of this console stay as they are', () => {
  for (const path of ['/', '/calls', '/calls?model=gpt-5&open=req_1', '/settings#password', '/a/b%20c'])
    expect(ownPath(path)).toBe(path);
});

test('what leads elsewhere is no path', () => {
  const given = [
    ...['https://evil.example', '//evil.example', '/\\evil.example', '\\\\evil.example', '/\t/evil.example'],
    ...[
      '/\n/evil.example',
      'javascript:alert(1)',
      'calls',
      '',
      ' /calls',
      '/..//evil.example',
      '/.//evil.example',
    ],
    ...[undefined, null, 7, ['/calls'], { next: '/calls' }],
  ];
  for (const each of given) expect(ownPath(each), String(each)).toBeUndefined();
});
