type Rules = { createHTML?(text: string): string; createScriptURL?(url: string): string }
type Policies = { createPolicy(name: string, rules: Rules): Required<Rules> }

/** Undefined in browsers without Trusted Types, which accept any text. The CSP names every policy. */
const policies = (globalThis as { trustedTypes?: Policies }).trustedTypes

const scripts = policies?.createPolicy('jarvis', { createScriptURL: ownScript })

/** Accepts only files built with the page (`/src` is the development server's), never an answer of the API. */
function ownScript(url: string): string {
  const { origin, pathname } = new URL(url, location.href)
  if (origin !== location.origin || !/^\/(sw\.js$|assets\/|src\/)/.test(pathname))
    throw new TypeError(`${url} is no script of the dashboard.`)
  return url
}

/** The address of a worker or a service worker, as a browser takes it. @throws TypeError where it is not the dashboard's own */
export const scriptUrl = (url: string): string => scripts?.createScriptURL(url) ?? ownScript(url)

/** Passes every text that code uses as markup through `sanitise`. Without this policy such a use throws. */
export function sanitiseMarkup(sanitise: (text: string) => string): void {
  policies?.createPolicy('default', { createHTML: sanitise })
}
