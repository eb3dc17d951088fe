import { ApiError, callApi, connection, hasSession } from '../api/api.ts';
import { queries } from '../api/queries.ts';

const PROBE_MS = 2_000;

/** Asks something small that needs the database. An answer of any kind is a sign of life. */
export async function probe(): Promise<void> {
  try {
    if (hasSession()) await callApi('getBalanceAndSwitches', {});
    else await callApi('listActiveAnnouncements', {});
  } catch (error) {
    if (error instanceof ApiError && error.isPassing) return;
  }
  connection.write('up');
}

/** While the server is away it is asked until it is back. Then everything that is shown is read again. */
export function watchConnection(): void {
  let timer: number | undefined;
  let wasUp = true;
  connection.subscribe(() => {
    const isUp = connection.read() === 'up';
    if (isUp === wasUp) return;
    wasUp = isUp;
    window.clearInterval(timer);
    if (isUp) void queries.invalidateQueries();
    else timer = window.setInterval(() => void probe(), PROBE_MS);
  });
}
