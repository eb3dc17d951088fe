import { callApi, type Input } from '../../../api/api.ts';
import type { Desk } from '../../notifications/desk.ts';

type PlatformAlerts = Input<'createAlertChannelOfOperators'>['body']['alerts'];

const PLATFORM_ALERTS: PlatformAlerts = [
  ...(['route-down', 'credential-refused', 'settling-lags'] as const),
  ...(['disk-nearly-full', 'doctor-finding'] as const),
];
const NEWEST = { query: { size: 50 } };

/** The channels of the operators, which get alerts about the platform. */
export const OPERATOR_DESK: Desk = {
  alerts: PLATFORM_ALERTS,
  place: '/operator/alerts',
  changed: ['listAlertChannelsOfOperators', 'listAllAlertDeliveries', 'listAuditEntries'],
  create: async ({ alerts, address = '', ...rest }) => {
    const body = { ...rest, address, alerts: alerts as PlatformAlerts };
    return (await callApi('createAlertChannelOfOperators', { body })).data;
  },
  update: (id, { alerts, ...rest }) =>
    callApi('updateAlertChannelOfOperators', {
      params: { id },
      body: { ...rest, ...(alerts !== undefined && { alerts: alerts as PlatformAlerts }) },
    }),
  remove: (id) => callApi('deleteAlertChannelOfOperators', { params: { id } }),
  test: async (id) => (await callApi('testAlertChannelOfOperators', { params: { id } })).data.delivery_id,
  findDelivery: async (wanted) =>
    (await callApi('listAllAlertDeliveries', NEWEST)).data.find(({ id }) => id === wanted),
};
