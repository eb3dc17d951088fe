import { expect } from 'vitest';
import { createApi, loginWith } from '../support/api.ts';

interface Person {
  readonly email: string;
  readonly password: string;
}

/** Opens the console with the files that its page names, signs in, and opens the documents. */
export async function signInAndLookAround(url: string, person: Person): Promise<void> {
  const page = await (await fetch(url, { headers: { accept: 'text/html' } })).text();
  const files = [...page.matchAll(/(?:src|href)="(\/[^"]+\.(?:js|css|svg))"/g)].map(([, path = '']) => path);
  expect(files.length).toBeGreaterThan(2);
  for (const path of files) expect([path, (await fetch(url + path)).status]).toEqual([path, 200]);
  const api = createApi(url);
  const token = await loginWith(api, person.email, person.password);
  const { body } = await api('GET', '/profile', { token });
  expect(body).toMatchObject({ code: 0, data: { email: person.email } });
  const documents = await (await fetch(`${url}/docs`)).text();
  const program = /src="(\/docs\/scalar-[^"]+)"/.exec(documents)?.[1] ?? 'none';
  expect((await (await fetch(url + program)).text()).length).toBeGreaterThan(1_000_000);
}
