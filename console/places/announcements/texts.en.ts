export const en = {
  title: 'Announcements',
  lead: 'News from the operator of this gateway.',
  none: 'No news',
  noneText: 'Changes of prices, models and limits are announced here.',
  unread: 'The announcements could not be read.',
};
