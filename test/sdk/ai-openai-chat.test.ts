import { aiOpenaiChat } from './clients/ai-client.ts';
import { matrix } from './matrix.ts';

matrix({ client: 'ai, @ai-sdk/openai, Chat Completions', make: aiOpenaiChat });
