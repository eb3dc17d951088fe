import {
  BATCH_ACTIONS,
  BATCHES_PATH,
  FILE_ACTIONS,
  FILES_PATH,
} from '../../src/gateway/batches/batches-endpoint.ts';
import {
  MESSAGE_BATCH_ACTIONS,
  MESSAGE_BATCHES_PATH,
} from '../../src/gateway/batches/message-batches-endpoint.ts';
import { CONVERSATION_ACTIONS } from '../../src/gateway/endpoints/conversations-endpoint.ts';
import { COUNTS, FIXED, MODEL_ACTION } from '../../src/gateway/endpoints/endpoints.ts';
import { STORED_ACTIONS } from '../../src/gateway/endpoints/stored-responses-endpoint.ts';
import { VIDEO_ACTIONS, VIDEOS_PATH } from '../../src/gateway/jobs/videos-endpoint.ts';

/** `POST /v1/chat/completions`, …: everything that the gateway serves, from its own tables. */
export function gatewayPaths(): readonly string[] {
  const stored = Object.entries(STORED_ACTIONS).flatMap(([below, actions]) =>
    Object.keys(actions).map((method) => `${method} /v1/responses/{id}${below}`),
  );
  const conversations = Object.entries(CONVERSATION_ACTIONS).flatMap(([below, actions]) =>
    Object.keys(actions).map((method) => `${method} /v1/conversations${below}`),
  );
  const videos = Object.entries(VIDEO_ACTIONS).flatMap(([below, actions]) =>
    Object.entries(actions)
      .filter(([, action]) => action !== 'unserved')
      .map(([method]) => `${method} ${VIDEOS_PATH}/{id}${below}`),
  );
  const [, actions = ''] = /\(([\w|]+)\)\$$/.exec(MODEL_ACTION.source) ?? [];
  return [
    ...[...FIXED.keys(), ...COUNTS.keys()].map((path) => `POST ${path}`),
    ...actions.split('|').map((action) => `POST /v1beta/models/{model}:${action}`),
    ...['/v1', '/v1beta'].flatMap((base) => [`GET ${base}/models`, `GET ${base}/models/{model}`]),
    ...stored,
    ...conversations,
    `GET ${VIDEOS_PATH}`,
    ...videos,
    ...batchPaths(),
  ];
}

function batchPaths(): readonly string[] {
  const below = (path: string, part: string): string => {
    if (part === '') return path;
    return part === '/' ? `${path}/{id}` : `${path}/{id}${part}`;
  };
  const messages = Object.entries({
    '/': MESSAGE_BATCH_ACTIONS[''],
    ...MESSAGE_BATCH_ACTIONS,
    '': { GET: '' },
  });
  return [
    ...listPaths(FILES_PATH, Object.entries(FILE_ACTIONS)),
    ...listPaths(BATCHES_PATH, Object.entries(BATCH_ACTIONS)),
    ...listPaths(MESSAGE_BATCHES_PATH, messages),
  ];

  function listPaths(path: string, entries: readonly (readonly [string, object | undefined])[]) {
    return entries.flatMap(([part, actions = {}]) =>
      Object.keys(actions).map((method) => `${method} ${below(path, part)}`),
    );
  }
}
