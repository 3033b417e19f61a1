// Runs before first paint, so that the page never flashes in the wrong theme.
;(() => {
  let chosen = null
  try {
    // This browser's own choice, else the person's.
    const choice = (name) => localStorage.getItem(`jarvis.${name}`) ?? localStorage.getItem(`jarvis.own.${name}`)
    chosen = choice('theme')
    if (choice('density') === 'comfortable') document.documentElement.dataset.density = 'comfortable'
    // Somebody signed in here before: the shell's outline may stand while the page loads.
    if (localStorage.getItem('jarvis.token') !== null) document.documentElement.dataset.known = ''
  } catch {
    // Storage may be switched off: the system decides.
  }
  const light = matchMedia('(prefers-color-scheme: light)').matches
  const theme = chosen === 'light' || chosen === 'dark' ? chosen : light ? 'light' : 'dark'
  document.documentElement.dataset.theme = theme
  // The colour that an installed page and a phone's browser draw around the page.
  document.querySelector('meta[name=theme-color]').content = theme === 'light' ? '#f4f6f8' : '#0d0e10'
})()
