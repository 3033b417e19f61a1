/** Editors that are answered under a scheme of their own; all others under https or on this very machine. */
const editorSchemes = ['cursor:', 'vscode:', 'vscode-insiders:', 'windsurf:']
const loopbackHosts = ['127.0.0.1', '[::1]', 'localhost']

/** Whether a client may be answered there: https, http on the loopback, or an editor's own scheme; no fragment. */
export function isAllowedRedirect(uri: string): boolean {
  // What a URL parser would drop or mend must not be there: the text is what is compared.
  if (uri.length > 2_000 || !/^[\x21-\x7e]+$/.test(uri) || /[\\#]/.test(uri) || !URL.canParse(uri)) return false
  const { protocol, hostname, username, password } = new URL(uri)
  if (username !== '' || password !== '') return false
  if (protocol === 'https:') return /^https:\/\/[^/]/i.test(uri) && hostname !== ''
  if (protocol === 'http:') return /^http:\/\/[^/]/i.test(uri) && loopbackHosts.includes(hostname)
  return editorSchemes.includes(protocol)
}

/** Exactly the same text, but for the port of a loopback address: a program takes one that is free. */
export function isSameRedirect(registered: string, given: string): boolean {
  if (registered === given) return isAllowedRedirect(given)
  if (!isAllowedRedirect(registered) || !isAllowedRedirect(given)) return false
  return isLoopbackRedirect(registered) && isLoopbackRedirect(given) && withoutPort(registered) === withoutPort(given)
}

/** Any program on the person's own machine can pose as such a client. */
export function isLoopbackRedirect(uri: string): boolean {
  const { protocol, hostname } = new URL(uri)
  return protocol === 'http:' && loopbackHosts.includes(hostname)
}

/** What a person is shown of it. */
export const redirectHost = (uri: string): string => {
  const { protocol, host } = new URL(uri)
  return /^https?:$/.test(protocol) ? host : protocol.slice(0, -1)
}

/** `uri` with more in its query; undefined values are left out. */
export function withQuery(uri: string, values: Record<string, string | undefined>): string {
  const url = new URL(uri)
  for (const [name, value] of Object.entries(values)) if (value !== undefined) url.searchParams.append(name, value)
  return url.href
}

const withoutPort = (uri: string) => uri.replace(/^(http:\/\/(?:\[::1\]|[^/:?]+))(?::\d*)?/i, '$1')
