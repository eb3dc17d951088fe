import { keyOf } from '../../crash/trial/scene.ts';
import { type FreshDatabase, freshDatabase } from '../../support/postgres.ts';
import {
  makePlace,
  type Place,
  type ServerProcess,
  type SimulatorProcess,
  startServerProcess,
  startSimulatorProcess,
} from '../../support/processes.ts';
import { STANDARD_CATALOG } from '../../support/world.ts';
import { type Receiver, startReceiver } from './receiver.ts';

/** Real servers, vendors and a receiver of OTLP, for tests of what is exported. */
export interface Scene {
  readonly receiver: Receiver;
  readonly simulator: SimulatorProcess;
  /** Of the account that calls. */
  readonly key: string;
  /** Starts a server with these settings beside those of the scene. Each has a data directory of its own. */
  serve(environment?: Readonly<Record<string, string>>): Promise<ServerProcess>;
  ask(server: ServerProcess, body: object, headers?: Record<string, string>): Promise<Asked>;
  close(): Promise<void>;
}

export interface Asked {
  readonly status: number;
  readonly callId: string;
}

export const PROMPT = 'xyzzy-the-prompt-of-a-client';

/** The body of a call whose prompt steers the simulator. */
export const say = (directive: string): object => ({
  messages: [{ role: 'user', content: `${PROMPT} [[sim ${directive}]]` }],
});

const BRISK = {
  OTEL_BSP_SCHEDULE_DELAY: '50',
  OTEL_BLRP_SCHEDULE_DELAY: '50',
  OTEL_METRIC_EXPORT_INTERVAL: '1000',
  TOLLGATE_CALL_LOG_LEVEL: 'info',
};

/** A model with a route that nobody answers, and one that works. */
const CATALOG = STANDARD_CATALOG.replace(
  'credentials:\n',
  `  - { code: nobody, name: Nobody, icon: openai, protocols: [chat], base_url: "http://127.0.0.1:9/v1" }
credentials:
  - { name: nobody-main, vendor: nobody, secret: sk-nobody }
`,
).replace(
  'models:\n',
  `models:
  - model_id: retried
    name: Retried
    prices: { input: "10", output: "30" }
    max_output_tokens: 1000
    routes:
      - { vendor: nobody, credential: nobody-main, forward_model_id: first-try, priority: 1 }
      - { vendor: openai, credential: openai-main, forward_model_id: gpt-4o, protocols: [chat], priority: 2 }
`,
);

export async function openScene(): Promise<Scene> {
  const receiver = await startReceiver();
  const simulator = await startSimulatorProcess();
  const fresh = await freshDatabase();
  const places: Place[] = [];
  const servers: ServerProcess[] = [];
  const serve: Scene['serve'] = async (environment = {}) => {
    const place = await makePlace(CATALOG, simulator.url);
    places.push(place);
    const server = await startServerProcess({
      ...place.environment,
      DATABASE_URL: fresh.connection,
      TOLLGATE_SECRET: 'a secret that all servers of the scene share',
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
      ...BRISK,
      ...environment,
    });
    servers.push(server);
    return server;
  };
  // The first one fills the database.
  const first = await serve();
  const key = await keyOf(fresh.database, 'user@example.com');
  first.kill('SIGTERM');
  await first.exited;
  return {
    receiver,
    simulator,
    key,
    serve,
    ask: (server, body, headers = {}) => ask(server, key, body, headers),
    close: () => close({ receiver, simulator, fresh, places, servers }),
  };
}

async function ask(
  { url }: ServerProcess,
  key: string,
  body: object,
  headers: Record<string, string>,
): Promise<Asked> {
  const answer = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({
      ...{ model: 'gpt-5', messages: [{ role: 'user', content: PROMPT }], max_completion_tokens: 200 },
      ...body,
    }),
  });
  await answer.text();
  return { status: answer.status, callId: answer.headers.get('x-request-id') ?? '' };
}

async function close(parts: {
  readonly receiver: Receiver;
  readonly simulator: SimulatorProcess;
  readonly fresh: FreshDatabase;
  readonly places: readonly Place[];
  readonly servers: readonly ServerProcess[];
}): Promise<void> {
  for (const server of parts.servers) {
    server.kill('SIGKILL');
    await server.exited;
  }
  await parts.fresh.drop();
  await parts.simulator.close();
  await Promise.all(parts.places.map((place) => place.remove()));
  await parts.receiver.close();
}
