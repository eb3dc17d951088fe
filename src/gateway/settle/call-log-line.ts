import type { Logger } from '../../kernel/log.ts';
import { inputTokens, outputTokens } from '../../kernel/usage.ts';
import type { CallObserver } from './settle.ts';

/**
 * Logs every ended call at its level, then calls `next`. It is used only if that level is on, so that other
 * processes do not pay for it. ADR 9: figures and names only, never a prompt or a secret.
 */
export function logCalls(next: CallObserver, log: Logger, level: 'debug' | 'info'): CallObserver {
  return {
    callEnded: (record, trace) => {
      const { callId, accountId, keyId, modelAsked, modelUsed, routeId, status, errorCode } = record;
      log[level](
        {
          requestId: callId,
          accountId,
          keyId,
          modelAsked,
          modelUsed,
          route: routeId,
          attempts: record.attempts.length,
          status,
          errorCode,
          verdict: record.verdict,
          inputTokens: inputTokens(record.usage),
          outputTokens: outputTokens(record.usage),
          estimated: record.estimated,
          durationMs: record.durationMs,
          trace_id: trace?.traceId,
          span_id: trace?.spanId,
        },
        'call ended',
      );
      next.callEnded(record, trace);
    },
  };
}
