import { createTextRequestReader } from '../request.ts';

export const readMessagesRequest = createTextRequestReader('max_tokens');
