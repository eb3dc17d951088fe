import { openaiResponses } from './clients/openai-responses-client.ts';
import { matrix } from './matrix.ts';

const CANNOT: ReadonlyMap<string, string> = new Map([
  ['stop', 'Responses has no field for stop sequences.'],
  ['tool loop of the SDK', 'The SDK has no loop for Responses.'],
]);

matrix({
  client: 'openai, Responses',
  make: openaiResponses,
  cannot: (scenario) => CANNOT.get(scenario),
});
