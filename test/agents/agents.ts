import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** What an agent is sent into the world with. */
export interface Errand {
  /** Of the gateway, without a path. */
  readonly url: string;
  readonly key: string;
  readonly model: string;
  readonly prompt: string;
  /** Its own and empty: nothing of the person who runs this is read or changed. */
  readonly home: string;
}

export interface Launch {
  readonly parameters: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

export interface Agent {
  /** For people who choose one, and for tags. */
  readonly id: string;
  readonly name: string;
  /** In node_modules/.bin. */
  readonly program: string;
  /** How the names of its vendor's models begin. */
  readonly family: string;
  /** A tool that every conversation of this agent has, and what to call it with to see a file. */
  readonly tool: string;
  readonly toolArguments: (file: string) => string;
  /** Writes its settings and says how it is started. */
  readonly prepare: (errand: Errand) => Promise<Launch>;
}

const claudeCode: Agent = {
  id: 'claude',
  name: 'Claude Code',
  program: 'claude',
  family: 'claude-opus-5',
  tool: 'Read',
  toolArguments: (file) => JSON.stringify({ file_path: file }),
  prepare: async ({ url, key, model, prompt, home }) => ({
    parameters: ['-p', prompt, '--model', model, '--output-format', 'json', '--allowedTools', 'Read'],
    environment: {
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_AUTH_TOKEN: key,
      // Its small side calls go to the same upstream, so that the cell proves what it says.
      ANTHROPIC_DEFAULT_HAIKU_MODEL: model,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      CLAUDE_CONFIG_DIR: join(home, 'claude'),
      DISABLE_AUTOUPDATER: '1',
      DISABLE_ERROR_REPORTING: '1',
      DISABLE_TELEMETRY: '1',
    },
  }),
};

const codex: Agent = {
  id: 'codex',
  name: 'Codex',
  program: 'codex',
  family: 'gpt-5.5',
  tool: 'exec_command',
  toolArguments: (file) => JSON.stringify({ cmd: `cat ${file}` }),
  prepare: async ({ url, key, model, prompt, home }) => {
    const settings = `model_provider = "tollgate"
model = "${model}"
check_for_update_on_startup = false
[model_providers.tollgate]
name = "Tollgate"
base_url = "${url}/v1"
env_key = "TOLLGATE_KEY"
wire_api = "responses"
[analytics]
enabled = false
[otel]
exporter = "none"
`;
    await writeFile(join(home, 'config.toml'), settings);
    return {
      // Its own sandbox needs rights that a container seldom gives; the namespace around us stays.
      parameters: ['exec', '--skip-git-repo-check', '--json', '-s', 'danger-full-access', prompt],
      environment: { CODEX_HOME: home, TOLLGATE_KEY: key },
    };
  },
};

/** With its newest models: one custom tool for programs, in a namespace, given in the conversation. */
const codexCodeMode: Agent = {
  ...codex,
  id: 'codex-code-mode',
  name: 'Codex code mode',
  family: 'gpt-6.1-sol',
  tool: 'exec',
  toolArguments: (file) => `text(await tools.exec_command({ cmd: "cat ${file}" }));`,
};

const geminiCli: Agent = {
  id: 'gemini',
  name: 'Gemini CLI',
  program: 'gemini',
  family: 'gemini-3-pro',
  tool: 'read_file',
  toolArguments: (file) => JSON.stringify({ file_path: file }),
  prepare: async ({ url, key, model, prompt, home }) => {
    const settings = {
      security: { auth: { selectedType: 'gemini-api-key' } },
      general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
      privacy: { usageStatisticsEnabled: false },
      telemetry: { enabled: false },
    };
    await mkdir(join(home, '.gemini'));
    await writeFile(join(home, '.gemini', 'settings.json'), JSON.stringify(settings));
    return {
      parameters: ['-p', prompt, '-m', model, '-o', 'json', '--skip-trust'],
      environment: {
        GOOGLE_GEMINI_BASE_URL: url,
        // It sends this as x-goog-api-key, which the gateway ignores; the bearer is in the other one.
        GEMINI_API_KEY: 'unused',
        GEMINI_CLI_CUSTOM_HEADERS: `Authorization: Bearer ${key}`,
        GEMINI_CLI_TRUST_WORKSPACE: 'true',
      },
    };
  },
};

export const AGENTS: readonly Agent[] = [claudeCode, codex, codexCodeMode, geminiCli];
