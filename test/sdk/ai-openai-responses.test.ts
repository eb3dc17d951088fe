import { BOTH, type Scenario } from './cell.ts';
import { aiOpenaiResponses } from './clients/ai-client.ts';
import { matrix } from './matrix.ts';
import { loop } from './scenarios/tools.ts';
import { gatewayOf } from './world.ts';

const referred: Scenario = {
  name: 'tool loop, items referred to',
  meaning: 'the same as the SDK does it unless it is told otherwise: it names items that the server keeps',
  modes: BOTH,
  run: (cell) => loop.run({ ...cell, client: aiOpenaiResponses('server')(gatewayOf(cell.world)) }),
};

matrix({
  client: 'ai, @ai-sdk/openai, Responses',
  make: aiOpenaiResponses('client'),
  extra: [referred],
  cannot: (scenario) => (scenario === 'stop' ? 'Responses has no field for stop sequences.' : undefined),
});
