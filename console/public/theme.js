// Runs before the first paint, so that a chosen theme and language are there at once.
(() => {
  const read = (name) => {
    try {
      return localStorage.getItem(name);
    } catch {
      return null;
    }
  };
  const theme = read('tollgate.theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
  const language = read('tollgate.language') ?? navigator.language;
  document.documentElement.lang = language.startsWith('zh') ? 'zh' : 'en';
})();
