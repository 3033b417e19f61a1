/** One hop of a `Forwarded` header (RFC 7239). `for`: an address, with its port if the proxy names it, or a word such as `unknown`. */
export type Hop = { for?: string; host?: string }

const pair = /\s*([a-z0-9!#$%&'*+.^_`|~-]+)=(?:"((?:[^"\\]|\\.)*)"|([^\s;,"]*))\s*(;|,|$)/iy

/** Reads a `Forwarded` header, the hop nearest to the browser first. Returns no hops if the text is not such a header. */
export function forwardedHops(header: string | readonly string[] | undefined): Hop[] {
  const text = [header ?? []].flat().join(',')
  if (text.trim() === '') return []
  const hops: Hop[] = [{}]
  pair.lastIndex = 0
  while (pair.lastIndex < text.length) {
    const found = pair.exec(text)
    if (found === null) return []
    const [, name = '', quoted, plain = '', end] = found
    const key = name.toLowerCase()
    const hop = hops.at(-1)
    if (hop !== undefined && (key === 'for' || key === 'host')) hop[key] = quoted?.replace(/\\(.)/g, '$1') ?? plain
    if (end === ',') hops.push({})
    if (end === '') break
  }
  return hops
}
