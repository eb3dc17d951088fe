export const en = {
  shown: (from: string, to: string, total: string) => `${from}–${to} of ${total}`,
  refused: 'The server refused it.',
  noAnswer: 'The server does not answer. Nothing is lost; try again.',
  cancel: 'Cancel',
  cannotRead: 'This could not be read.',
  free: {
    title: 'Make it free of charge?',
    text: 'These prices become 0 or are removed. Calls are charged so from the next one on.',
    action: 'Apply',
  },
};
