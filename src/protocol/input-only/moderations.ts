import { compileMediaKeys } from '../media/finder.ts';
import { createInputOnlyDialect } from './dialect.ts';

/** No vendor reports what it read, so the input is always counted here. */
export const moderations = createInputOnlyDialect({
  protocol: 'moderations',
  input: { input: ['text', 'list'] },
  media: compileMediaKeys({ raw: [], part: ['image_url'], inner: ['url'] }),
  hasDefaultModel: true,
  sign: 'results',
  reported: ['usage.prompt_tokens', 'usage.total_tokens'],
});
