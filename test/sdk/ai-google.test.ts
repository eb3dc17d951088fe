import { aiGoogle } from './clients/ai-client.ts';
import { matrix } from './matrix.ts';

matrix({ client: 'ai, @ai-sdk/google', make: aiGoogle });
