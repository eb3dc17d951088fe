import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ApiError, callApi, type Input, type OperationName } from '../../api/api.ts';

/** Where alerts go. Those of an account and of the operators differ only in the alerts that they get. */
export interface Channel {
  readonly id: number;
  readonly kind: 'email' | 'webhook';
  readonly name: string;
  readonly address: string;
  readonly language: 'en' | 'zh';
  readonly alerts: readonly string[];
  readonly status: 'enabled' | 'disabled';
}

export interface NewChannel extends Pick<Channel, 'kind' | 'name' | 'language' | 'alerts'> {
  /** Left out: the address of the account. */
  readonly address?: string | undefined;
}

export type ChannelChange = Partial<Pick<Channel, 'name' | 'address' | 'language' | 'alerts' | 'status'>>;

/** A message, as far as it is shown. */
export interface Delivery {
  readonly id: number;
  readonly channel: string | null;
  readonly kind: string;
  readonly state: string;
  readonly status: 'waiting' | 'sent' | 'dead';
  readonly attempts: number;
  readonly created_at: string;
  readonly next_at: string | null;
  readonly ended_at: string | null;
  readonly last_error: string | null;
}

/** Whose channels a page is about: how they are written, and how a test went. */
export interface Desk {
  /** What a channel may ask for. */
  readonly alerts: readonly string[];
  /** The page whose address names the open channel. */
  readonly place: '/notifications' | '/operator/alerts';
  /** What is read again after a change. */
  readonly changed: readonly OperationName[];
  readonly create: (channel: NewChannel) => Promise<{ readonly id: number; readonly secret: string | null }>;
  readonly update: (id: number, change: ChannelChange) => Promise<unknown>;
  readonly remove: (id: number) => Promise<unknown>;
  /** The number of the message. */
  readonly test: (id: number) => Promise<number>;
  readonly findDelivery: (id: number) => Promise<Delivery | undefined>;
}

type OwnAlerts = Input<'createAlertChannel'>['body']['alerts'];

const OWN_ALERTS: OwnAlerts = ['credits-low', 'cap-near', 'cap-reached', 'key-expiring', 'limit-hit'];
const NEWEST = { query: { size: 20 } };

export const OWN_DESK: Desk = {
  alerts: OWN_ALERTS,
  place: '/notifications',
  changed: ['listAlertChannels', 'listAlertDeliveries'],
  create: async ({ alerts, address, ...rest }) => {
    const body = { ...rest, alerts: alerts as OwnAlerts, ...(address !== undefined && { address }) };
    return (await callApi('createAlertChannel', { body })).data;
  },
  update: (id, { alerts, ...rest }) =>
    callApi('updateAlertChannel', {
      body: { id, ...rest, ...(alerts !== undefined && { alerts: alerts as OwnAlerts }) },
    }),
  remove: (id) => callApi('deleteAlertChannels', { query: { ids: String(id) } }),
  test: async (id) => (await callApi('testAlertChannel', { params: { id } })).data.delivery_id,
  findDelivery: async (wanted) =>
    (await callApi('listAlertDeliveries', NEWEST)).data.find(({ id }) => id === wanted),
};

/** A write of a desk. What it changes is read again. */
export function useDeskWrite<Given, Made>(desk: Desk, write: (given: Given) => Promise<Made>) {
  const queries = useQueryClient();
  return useMutation<Made, ApiError, Given>({
    mutationFn: write,
    onSuccess: () => Promise.all(desk.changed.map((name) => queries.invalidateQueries({ queryKey: [name] }))),
  });
}
