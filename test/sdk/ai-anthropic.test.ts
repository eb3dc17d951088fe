import { aiAnthropic } from './clients/ai-client.ts';
import { matrix } from './matrix.ts';

matrix({ client: 'ai, @ai-sdk/anthropic', make: aiAnthropic });
