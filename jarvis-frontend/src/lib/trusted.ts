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

/** The URL of a worker or service worker, in the type that the browser requires. @throws TypeError if it is not a file of the dashboard */
export const scriptUrl = (url: string): string => scripts?.createScriptURL(url) ?? ownScript(url)

/** Passes every text that code inserts as markup through `sanitise`. Without this policy, inserting markup throws. */
export function sanitiseMarkup(sanitise: (text: string) => string): void {
  policies?.createPolicy('default', { createHTML: sanitise })
}
