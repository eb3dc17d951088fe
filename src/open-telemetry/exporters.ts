import type { Agent as HttpAgent } from 'node:http';
import type { Agent as HttpsAgent } from 'node:https';
import { OTLPLogExporter } from '@opentelemetry/exporter-logs-otlp-proto';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-proto';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { convertLegacyHttpOptions } from '@opentelemetry/otlp-exporter-base/node-http';

type Agent = HttpAgent | HttpsAgent;

/**
 * The exporters of OTLP over HTTP. They read their addresses, headers and certificates from the environment.
 * Their connections are known here, because the packages leave them open when they shut down.
 */
export class Exporters {
  readonly #agents: Agent[] = [];
  #isClosed = false;

  traces(): OTLPTraceExporter {
    return new OTLPTraceExporter({ httpAgentOptions: this.#agentsFor('TRACES') });
  }

  metrics(): OTLPMetricExporter {
    return new OTLPMetricExporter({ httpAgentOptions: this.#agentsFor('METRICS') });
  }

  logs(): OTLPLogExporter {
    return new OTLPLogExporter({ httpAgentOptions: this.#agentsFor('LOGS') });
  }

  /** Ends what is under way, so that a receiver that hangs does not keep the process alive. */
  close(): void {
    this.#isClosed = true;
    for (const agent of this.#agents) close(agent);
  }

  #agentsFor(signal: string): (protocol: string) => Promise<Agent> {
    const { agentFactory } = convertLegacyHttpOptions({}, signal, '', {});
    return async (protocol) => {
      const agent = await agentFactory(protocol);
      if (this.#isClosed) close(agent);
      this.#agents.push(agent);
      return agent;
    };
  }
}

/** A retry would open another connection. */
function close(agent: Agent): void {
  agent.createConnection = () => {
    throw new Error('the exporter is closed');
  };
  agent.destroy();
}
