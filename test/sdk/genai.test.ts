import { genai } from './clients/genai-client.ts';
import { matrix } from './matrix.ts';

matrix({ client: '@google/genai', make: genai });
