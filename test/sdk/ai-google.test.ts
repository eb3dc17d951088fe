import { aiGoogle } from './ai-client.ts';
import { matrix } from './matrix.ts';

matrix({ client: 'ai, @ai-sdk/google', make: aiGoogle });
