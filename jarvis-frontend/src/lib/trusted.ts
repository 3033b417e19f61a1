type Rules = { createHTML?(text: string): string; createScriptURL?(url: string): string }
type Policies = { createPolicy(name: string, rules: Rules): Required<Rules> }

/** Absent where the browser does not know Trusted Types: there any text is taken. The CSP names every policy. */
const policies = (globalThis as { trustedTypes?: Policies }).trustedTypes

const scripts = policies?.createPolicy('jarvis', { createScriptURL: ownScript })

/** Only what was built with the page (`/src` is the development server's), never what the API answers. */
function ownScript(url: string): string {
  const { origin, pathname } = new URL(url, location.href)
  if (origin !== location.origin || !/^\/(sw\.js$|assets\/|src\/)/.test(pathname))
    throw new TypeError(`${url} is no script of the dashboard.`)
  return url
}

/** The address of a worker or a service worker, as a browser takes it. @throws TypeError where it is not the dashboard's own */
export const scriptUrl = (url: string): string => scripts?.createScriptURL(url) ?? ownScript(url)

/** Has every text that the page's code uses as markup go through `sanitise` first. Without this such a use throws. */
export function sanitiseMarkup(sanitise: (text: string) => string): void {
  policies?.createPolicy('default', { createHTML: sanitise })
}
