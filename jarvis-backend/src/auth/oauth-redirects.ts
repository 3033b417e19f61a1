/** Custom schemes of known editors. Other clients must use https, or http on the loopback. */
const editorSchemes = ['cursor:', 'vscode:', 'vscode-insiders:', 'windsurf:']
const loopbackHosts = ['127.0.0.1', '[::1]', 'localhost']

/** True if a redirect URI is allowed: https, http on the loopback, or a known editor's scheme; no user, no fragment. */
export function isAllowedRedirect(uri: string): boolean {
  // URIs are compared as text, so characters that a URL parser would drop or rewrite are refused.
  if (uri.length > 2_000 || !/^[\x21-\x7e]+$/.test(uri) || /[\\#]/.test(uri) || !URL.canParse(uri)) return false
  const { protocol, hostname, username, password } = new URL(uri)
  if (username !== '' || password !== '') return false
  if (protocol === 'https:') return /^https:\/\/[^/]/i.test(uri) && hostname !== ''
  if (protocol === 'http:') return /^http:\/\/[^/]/i.test(uri) && loopbackHosts.includes(hostname)
  return editorSchemes.includes(protocol)
}

/** True if two redirect URIs are the same text. The ports of loopback addresses may differ, because a program uses any free port. */
export function isSameRedirect(registered: string, given: string): boolean {
  if (registered === given) return isAllowedRedirect(given)
  if (!isAllowedRedirect(registered) || !isAllowedRedirect(given)) return false
  return isLoopbackRedirect(registered) && isLoopbackRedirect(given) && withoutPort(registered) === withoutPort(given)
}

/** True if the URI is http on the loopback. Any program on the person's machine can then pose as the client. */
export function isLoopbackRedirect(uri: string): boolean {
  const { protocol, hostname } = new URL(uri)
  return protocol === 'http:' && loopbackHosts.includes(hostname)
}

/** The part of a redirect URI that is shown to a person: its host, or the editor's scheme. */
export const redirectHost = (uri: string): string => {
  const { protocol, host } = new URL(uri)
  return /^https?:$/.test(protocol) ? host : protocol.slice(0, -1)
}

/** Adds parameters to the query of `uri`; undefined values are left out. */
export function withQuery(uri: string, values: Record<string, string | undefined>): string {
  const url = new URL(uri)
  for (const [name, value] of Object.entries(values)) if (value !== undefined) url.searchParams.append(name, value)
  return url.href
}

const withoutPort = (uri: string) => uri.replace(/^(http:\/\/(?:\[::1\]|[^/:?]+))(?::\d*)?/i, '$1')
