import type { ApiAnswer } from '../../support/api.ts';
import { GONE } from './receivers.ts';

type Ask = (method: string, path: string, body?: unknown) => Promise<ApiAnswer>;

const ALERTS = { '/alert': ['credits-low', 'limit-hit'], '/alerts': ['route-down', 'disk-nearly-full'] };

/**
 * Gives an account (`/alert`) or the operators (`/alerts`) a channel that works and one that does not, each
 * with a message.
 */
export async function tellChannels(ask: Ask, place: keyof typeof ALERTS, hooksUrl: string): Promise<void> {
  const alerts = ALERTS[place];
  for (const [name, path] of Object.entries({ team: '/team', 'old receiver': GONE })) {
    const channel = { kind: 'webhook', name, address: hooksUrl + path, alerts };
    const { body } = await ask('POST', `${place}/channels`, channel);
    await ask('POST', `${place}/channels/${body.data.id}/test`);
  }
  if (place === '/alert') return;
  const channel = { kind: 'email', name: 'on call', address: 'oncall@example.com', alerts };
  await ask('POST', `${place}/channels`, channel);
}
