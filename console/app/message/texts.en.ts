export const en = {
  label: 'Message to the operator',
  labelCall: 'What went wrong',
  help: 'The answer appears in Settings, under Messages.',
  helpCall: 'The request id is sent with it. The answer appears in Settings, under Messages.',
  placeholderCall: 'What you expected, and what came instead',
  send: 'Send',
  cancel: 'Cancel',
  sent: 'Sent. The answer appears in Settings, under Messages.',
  aboutCall: (text: string, id: string) => `${text}\n\nCall: ${id}`,
  tooSoon: 'One message in a minute is accepted. Try again shortly.',
  failed: 'It could not be sent. Try again.',
};
