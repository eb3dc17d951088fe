import { PASSWORD_LENGTH_MAX, PASSWORD_LENGTH_MIN } from '../../bounds.ts';
import { formatMicro } from '../../kernel/money.ts';
import { VERSION } from '../../kernel/version.ts';
import { findRegistration, isOperatorMissing } from '../../store/accounts/registration.ts';
import { nullable, SHOWN_AMOUNT, TIME } from '../fields.ts';
import { data, type Operation, operation } from '../operation.ts';
import { Type } from '../schema.ts';

const LENGTH = Type.Integer({ minimum: 1 });
const SETTINGS = Type.Object({
  version: Type.String(),
  node: Type.String({ description: 'The node that answers.' }),
  base_url: nullable(
    Type.String({ description: 'The address of the gateway. Null if it is not configured.' }),
  ),
  time_zone: Type.String({ description: 'The time zone of all times, days and months.' }),
  now: TIME,
  credits_per_yuan: Type.Integer({ minimum: 1 }),
  registration: Type.Union([Type.Literal('open'), Type.Literal('closed')]),
  can_mail: Type.Boolean({
    description: 'Whether this server sends e-mail, for example to reset a password.',
  }),
  operator_missing: Type.Boolean({ description: 'The first operator is not set up yet.' }),
  password_length: Type.Object({ min: LENGTH, max: LENGTH }),
  verification_grants: Type.Object(
    { personal: SHOWN_AMOUNT, enterprise: SHOWN_AMOUNT },
    { description: 'Credits granted for a verification.' },
  ),
});

/** The settings that a page needs before a login. */
export const settingsOperations: readonly Operation[] = [
  operation({
    ...{ surface: 'user', access: 'public', tag: 'Public' },
    name: 'public.settings',
    id: 'getPublicSettings',
    method: 'GET',
    path: '/settings',
    title: 'Get public settings',
    summary: 'The public settings.',
    data: SETTINGS,
    example: {
      data: {
        ...{ version: '1.0.0', node: 'local', base_url: 'https://gateway.example.com' },
        ...{ time_zone: 'UTC', now: '2026-11-15 09:05:00', credits_per_yuan: 1000 },
        ...{
          registration: 'open',
          can_mail: true,
          operator_missing: false,
          password_length: { min: 10, max: 256 },
        },
        verification_grants: { personal: '100', enterprise: '1000' },
      },
    },
    handle: async (_input, context) => {
      const { config, database } = context;
      const { verificationGrants } = context.catalog();
      return data({
        version: VERSION,
        node: config.nodeName,
        base_url: config.publicUrl ?? null,
        time_zone: context.timeZone,
        now: context.showTime(context.clock.now()),
        credits_per_yuan: config.creditsPerYuan,
        registration: (await findRegistration(database)) ?? config.registration,
        can_mail: config.smtpUrl !== undefined,
        operator_missing: await isOperatorMissing(database),
        password_length: { min: PASSWORD_LENGTH_MIN, max: PASSWORD_LENGTH_MAX },
        verification_grants: {
          personal: formatMicro(verificationGrants.personalMicro),
          enterprise: formatMicro(verificationGrants.enterpriseMicro),
        },
      });
    },
  }),
];
