import { anthropic0 } from './clients/anthropic-client.ts';
import { matrix } from './matrix.ts';

matrix({ client: '@anthropic-ai/sdk 0.x', make: anthropic0 });
