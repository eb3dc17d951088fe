import { anthropic1 } from './clients/anthropic-client.ts';
import { matrix } from './matrix.ts';

matrix({ client: '@anthropic-ai/sdk 1.x', make: anthropic1 });
