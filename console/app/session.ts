import { redirect } from '@tanstack/react-router';
import { ApiError, callApi, type Data, hasSession, queryKey, sessionEnded, useApi } from '../api/api.ts';
import { queries } from '../api/queries.ts';

export type Profile = Data<'getProfile'>;

/** The account that is signed in. Undefined: nobody, or not known yet. */
export function useProfile(): Profile | undefined {
  const isSignedIn = hasSession();
  return useApi('getProfile', {}, { enabled: isSignedIn, staleTime: 60_000 }).data?.data;
}

/** For routes: the profile, or undefined without a valid session. */
export async function loadProfile(): Promise<Profile | undefined> {
  if (!hasSession()) return undefined;
  const known = queries.getQueryData<{ readonly data: Profile }>(queryKey('getProfile', {}));
  if (known !== undefined) return known.data;
  try {
    const query = { queryKey: queryKey('getProfile', {}), queryFn: () => callApi('getProfile', {}) };
    // Without an answer it is asked until there is one: who is signed in is not sent to the sign-in page.
    return (await queries.fetchQuery(query)).data;
  } catch {
    return undefined;
  } finally {
    // Nobody has worked in this page yet, so there is nothing to keep: the sign-in page follows.
    sessionEnded.write(false);
  }
}

/** For routes that need a login: others go to the sign-in page, which leads back. */
export async function requireUser({
  href,
}: {
  readonly href: string;
}): Promise<{ readonly profile: Profile }> {
  const profile = await loadProfile();
  if (profile === undefined) throw redirect({ to: '/signin', search: { next: href } });
  return { profile };
}

/** Users who ask for an operator's page go to their own overview. */
export async function requireOperator(location: {
  readonly href: string;
}): Promise<{ readonly profile: Profile }> {
  const { profile } = await requireUser(location);
  if (profile.role !== 'operator') throw redirect({ to: '/overview' });
  return { profile };
}

/** After a sign-in, registration or set-up: what was known belongs to nobody or to somebody else. */
export function sessionBegan(): void {
  sessionEnded.write(false);
  queries.removeQueries({ predicate: ({ queryKey: [name] }) => name !== 'getPublicSettings' });
}

/** A session that has ended elsewhere needs no end. Without an answer the page stays, and says so. */
export async function signOut(): Promise<void> {
  try {
    await callApi('logOut', { body: {} });
  } catch (error) {
    if (!(error instanceof ApiError && error.isNotLoggedIn)) return;
  }
  queries.clear();
  window.location.assign('/signin');
}
