import { type Refusal, refuse } from '../../kernel/errors.ts';
import type { Protocol } from '../../kernel/protocol-name.ts';
import type { Dialect } from '../dialect.ts';
import { messages } from '../messages/dialect.ts';
import { getDialect } from '../registry.ts';
import { readCreatedBatch } from './answer.ts';
import { FILE_BATCH_MEMBERS } from './file-batch.ts';
import { MESSAGE_BATCH_MEMBERS, readMessageBatch, spliceMessageBatch } from './message-batch.ts';

/** What a call for a batch has in common with a plain one of its protocol: how errors look. */
function batchOf(dialect: Dialect): Omit<Dialect, 'members' | 'readRequest' | 'spliceRequest'> {
  return {
    protocol: dialect.protocol,
    readResponse: readCreatedBatch,
    relayStream: dialect.relayStream,
    countInput: () => 0,
    encodeStreamError: dialect.encodeStreamError,
    keepAlive: dialect.keepAlive,
  };
}

const messageBatches: Dialect = {
  ...batchOf(messages),
  members: MESSAGE_BATCH_MEMBERS,
  readRequest: readMessageBatch,
  spliceRequest: spliceMessageBatch,
};

/** The requests of a batch of OpenAI's form are in a file, so its facts are not in its body. */
const NO_FACTS: Refusal = refuse('notExpressible');

/** The dialect of calls for batches whose items speak this protocol. */
export function getBatchDialect(protocol: Protocol): Dialect {
  if (protocol === 'messages') return messageBatches;
  return {
    ...batchOf(getDialect(protocol)),
    members: FILE_BATCH_MEMBERS,
    readRequest: () => NO_FACTS,
    spliceRequest: ({ body }) => [body],
  };
}
