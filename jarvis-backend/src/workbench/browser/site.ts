import { type Place, placeOf, placeText } from '../egress/place.ts'

/**
 * The URL of a page that may be opened: http(s), without a user name. `site`: its origin. `place`: the `host:port` to which the proxy must connect.
 */
export type PageAddress = { url: string; site: string; host: string; place: string }

const ports: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 }
const mostUrl = 4_000

/** Reads the URL of a page. @returns the reason why it may not be opened, as the end of a sentence, if it is refused */
export function pageAddress(text: string, base?: string): PageAddress | { refused: string } {
  const parsed = parse(text, base)
  if (parsed === undefined || text.length > mostUrl) return { refused: 'is no address of a page' }
  const port = ports[parsed.protocol]
  if (port === undefined)
    return { refused: 'is neither http nor https: JARVIS opens no files and no pages of the browser itself' }
  if (parsed.username !== '' || parsed.password !== '') return { refused: 'holds a user’s name or a password' }
  const place: Place | undefined = placeOf(parsed.host, port)
  if (place === undefined) return { refused: 'has no plain host' }
  return { url: parsed.href, site: parsed.origin, host: place.host, place: placeText(place) }
}

function parse(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base)
  } catch {
    return undefined
  }
}

/**
 * The places that the browser may reach to open a page: the page's own place, and the usual targets of a site's first redirect: https instead of
 * http, and the name with or without `www`.
 */
export function placesFor({ host, place }: Pick<PageAddress, 'host' | 'place'>): string[] {
  if (!/:(?:80|443)$/.test(place) || /^\[|^[\d.]+$/.test(host)) return [place]
  const other = host.startsWith('www.') ? host.slice(4) : `www.${host}`
  const hosts = other.includes('.') ? [host, other] : [host]
  return hosts.flatMap((name) => [`${name}:80`, `${name}:443`])
}

/** The address that a link leads to. Undefined if the address is refused or the link stays within its page. */
export function linkTarget(href: string, pageUrl: string): PageAddress | undefined {
  const target = pageAddress(href, pageUrl)
  if ('refused' in target) return undefined
  const without = (url: string) => url.replace(/#.*/s, '')
  return without(target.url) === without(pageUrl) ? undefined : target
}
