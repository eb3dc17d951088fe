import { COUNTS, FIXED, MODEL_ACTION } from '../../src/gateway/endpoints/endpoints.ts';
import { STORED_ACTIONS } from '../../src/gateway/endpoints/stored-responses-endpoint.ts';
import { VIDEO_ACTIONS, VIDEOS_PATH } from '../../src/gateway/jobs/videos-endpoint.ts';

/** `POST /v1/chat/completions`, …: everything that the gateway serves, from its own tables. */
export function gatewayPaths(): readonly string[] {
  const served = (base: string, table: Readonly<Record<string, Readonly<Record<string, string>>>>) =>
    Object.entries(table).flatMap(([below, actions]) =>
      Object.entries(actions)
        .filter(([, action]) => action !== 'unserved')
        .map(([method]) => `${method} ${base}/{id}${below}`),
    );
  const [, actions = ''] = /\(([\w|]+)\)\$$/.exec(MODEL_ACTION.source) ?? [];
  return [
    ...[...FIXED.keys(), ...COUNTS.keys()].map((path) => `POST ${path}`),
    ...actions.split('|').map((action) => `POST /v1beta/models/{model}:${action}`),
    ...['/v1', '/v1beta'].flatMap((base) => [`GET ${base}/models`, `GET ${base}/models/{model}`]),
    ...served('/v1/responses', STORED_ACTIONS),
    `GET ${VIDEOS_PATH}`,
    ...served(VIDEOS_PATH, VIDEO_ACTIONS),
  ];
}
