import { createTextRequestReader } from '../request.ts';

export const readResponsesRequest = createTextRequestReader('max_output_tokens');
