import { PASSWORD_LENGTH_MAX, PASSWORD_LENGTH_MIN } from '../../bounds.ts';
import { Type } from '../schema.ts';

/** No spaces, quotes, brackets or control characters. Whether the address exists is not checked. */
export const EMAIL = Type.String({
  minLength: 3,
  maxLength: 254,
  pattern: '^[^\\s@"\\\\<>\\u0000-\\u001f\\u007f-\\u009f]+@[^\\s@"\\\\<>\\u0000-\\u001f\\u007f-\\u009f]+$',
  form: 'an e-mail address such as ada@example.com',
});
export const NEW_PASSWORD = Type.String({ minLength: PASSWORD_LENGTH_MIN, maxLength: PASSWORD_LENGTH_MAX });
/** A setup token, a refresh token, or that of a link in a mail. */
export const TOKEN = Type.String({ minLength: 1, maxLength: 200 });
export const LANGUAGE = Type.Union([Type.Literal('en'), Type.Literal('zh')], {
  description: 'The language of mails.',
});
