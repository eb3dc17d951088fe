const models = (number: number): string => (number === 1 ? '1 model' : `${number} models`);

export const en = {
  open: 'Import prices',
  title: 'Import prices',
  lead: 'A file of your own, or LiteLLM’s public price map. Prices become changes: you see what they would have brought before anything is applied.',
  file: 'File of prices',
  fileHelp: 'YAML, or model_prices_and_context_window.json.',
  choose: 'Choose a file',
  tooLarge: 'The file is too large.',
  rate: 'Yuan for a dollar',
  rateHelp: 'Empty: as the server is set. A file in yuan needs none.',
  margin: 'Margin',
  marginHelp: '1 sells at the price of the file, 1.2 for a fifth more.',
  read: 'Read the file',
  add: (number: number) => (number === 1 ? 'Add 1 change' : `Add ${number} changes`),
  same: 'Nothing changes',
  cancel: 'Cancel',
  found: (number: number, without: number) =>
    `Prices of ${models(number)} of the catalogue are in the file. Not in it: ${without}; nothing changes there.`,
  tiered: (names: string) => `The vendor asks more for long prompts: ${names}.`,
  below: 'Below what the vendor asks',
  belowHelp: 'Before any rate. It may be meant, and it may be a loss.',
  price: 'Price',
  own: 'Yours',
  asked: 'Vendor',
  unknown: (number: number) =>
    `${models(number)} of the file ${number === 1 ? 'is' : 'are'} not in the catalogue`,
  unknownHelp: 'They are never added by themselves. New model offers one.',
  more: (number: number) => `and ${number} more`,
};
