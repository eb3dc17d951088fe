import { type Refusal, refuse } from '../../kernel/errors.ts';

/** A parameter of the query, in the form of OpenAI. `what`: what it must be. */
export function refuseParameter(param: string, what: string): Refusal {
  return refuse('notExpressible', {
    message: `Invalid '${param}': it ${what}.`,
    vendorFields: { type: 'invalid_request_error', param, code: 'invalid_value' },
  });
}

/** The vendor's own form: its clients use it to tell a missing object from a wrong address. */
export function refuseUnknown(message: string): Refusal {
  return refuse('pathUnknown', {
    message,
    vendorFields: { type: 'invalid_request_error', param: null, code: null },
  });
}
