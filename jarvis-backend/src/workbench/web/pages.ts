import { decode } from './decode.ts'
import type { FetchSite } from './fetch-site.ts'
import type { Hidden } from './hidden.ts'
import type { PageReader } from './page-reader.ts'
import type { PageText } from './page-text.ts'

/** A page as it was read. `how`: `plain` if it was not HTML. `at`: the time when it was fetched, Unix ms. Sizes in bytes. `text`: the whole text. */
export type Page = {
  asked: string
  url: string
  hops: number
  status: number
  type: string
  title: string
  text: string
  how: PageText['how'] | 'plain'
  hidden: Hidden
  wireBytes: number
  at: number
}

/** Reads pages of the web. */
export type Pages = {
  /**
   * Reads a page. A page of a listed site is not kept. @param asked.listed policy.yaml lists the site as one of the home network @throws NotFetched,
   * or the signal's reason
   */
  read(
    url: URL,
    asked: { sessionId: string; listed: boolean; signal: AbortSignal },
  ): Promise<Page & { isKept: boolean }>
  /** Forgets the pages that were read for a session. */
  forget(sessionId: string): void
}

const keptMs = 15 * 60_000
const mostKept = 200
/** Limit of all kept pages together, characters. */
const mostKeptChars = 20_000_000

/** Characters that people do not see but a model reads: tag characters, and characters of zero width. */
const unseenTags = /[\u{e0000}-\u{e007f}]+/gu
const noWidth = /[\u00ad\u200b\u2060\ufeff]/g
/** Runs of fewer tag characters are part of a flag emoji. */
const fewestTags = 8

/** Reads pages, and keeps each for 15 minutes for the session that asked, so that later parts come from the same text. */
export function createPages(parts: { fetchSite: FetchSite; readPage: PageReader; now(): number }): Pages {
  const { fetchSite, readPage, now } = parts
  const kept = new Map<string, Page>()
  const keyOf = (sessionId: string, url: URL) => `${sessionId}\n${url.href.replace(/#.*/s, '')}`

  function keep(key: string, page: Page) {
    kept.delete(key)
    kept.set(key, page)
    let chars = [...kept.values()].reduce((sum, { text }) => sum + text.length, 0)
    for (const [old, { text, at }] of kept) {
      if (chars <= mostKeptChars && kept.size <= mostKept && at > now() - keptMs) break
      kept.delete(old)
      chars -= text.length
    }
  }

  return {
    async read(url, { sessionId, listed, signal }) {
      const key = keyOf(sessionId, url)
      const known = listed ? undefined : kept.get(key)
      if (known !== undefined && known.at > now() - keptMs) return { ...known, isKept: true }
      const at = now()
      const got = await fetchSite(url, { listed, signal })
      const source = decode(got.body, got.charset)
      const isHtml = /html/.test(got.type) || (got.type === '' && /^\s*<(?:!doctype|html)/i.test(source))
      const read = isHtml ? await readPage(source, got.url.href, signal) : plain(source)
      const page: Page = {
        asked: url.href,
        url: got.url.href,
        hops: got.hops.length,
        status: got.status,
        type: got.type,
        wireBytes: got.wireBytes,
        at,
        ...seen(read),
      }
      if (!listed) keep(key, page)
      return { ...page, isKept: false }
    },
    forget(sessionId) {
      for (const key of [...kept.keys()]) if (key.startsWith(`${sessionId}\n`)) kept.delete(key)
    },
  }
}

const plain = (text: string) =>
  ({ title: '', text, how: 'plain', hidden: { count: 0, reasons: [] } }) satisfies Omit<PageText, 'how'> & {
    how: 'plain'
  }

/** Removes characters that nobody sees. Longer runs of them count as hidden passages. */
function seen<T extends { text: string; title: string; hidden: Hidden }>(read: T): T {
  let passages = 0
  const without = (text: string) =>
    text
      .replace(unseenTags, (run) => {
        if (run.length / 2 >= fewestTags) passages += 1
        return ''
      })
      .replace(noWidth, '')
  const title = without(read.title).replace(/\s+/g, ' ').trim().slice(0, 300)
  const text = without(read.text)
  if (passages === 0) return { ...read, title, text }
  const { count, reasons } = read.hidden
  return { ...read, title, text, hidden: { count: count + passages, reasons: [...reasons, 'invisible characters'] } }
}
