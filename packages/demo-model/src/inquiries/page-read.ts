import { notOffered } from '../areas.ts'
import type { Outcome } from '../seen.ts'
import { fenced, plain, quotedInline } from '../words.ts'
import { type Finding, type Inquiry, notDone, type Reads, read } from './inquiry.ts'

const mostChars = 1_500

/**
 * Reads one page and shows its beginning. If the wanted tool is not offered, the other one is used.
 * @param wanted `web_fetch`: as text; `open_page`: in the browser
 */
export function pageRead(url: string, wanted: 'web_fetch' | 'open_page'): Inquiry {
  const fetch = read('web_fetch', { url })
  const open = read('open_page', { url })
  const text = read('get_page_text')
  const ways = wanted === 'web_fetch' ? [fetch, open] : [open, fetch]
  return {
    find(seen): Reads | Finding {
      for (const way of ways) {
        const page = seen.of(way)
        if (page === undefined) return { reads: [way] }
        if (page.isOff) continue
        const refused = notDone(page, quotedInline(url))
        if (refused !== undefined) return { say: refused }
        const instead =
          way === ways[0]
            ? ''
            : `${way === open ? 'The browser opened it' : 'I read it as text'}: ${notOffered(wanted)}`
        if (way === fetch) return { say: joined(instead, fetchedWords(page)) }
        const whole = seen.of(text, page.round)
        if (whole === undefined) return { reads: [text] }
        return { say: joined(instead, openedWords(page), whole.isError ? plain(whole.text) : textWords(whole)) }
      }
      return { say: notOffered(wanted) }
    },
  }
}

const joined = (...parts: string[]) => parts.filter((part) => part !== '').join('\n\n')

/** Reads the text of web_fetch: lines about the page, then its content in a fence. */
function fetchedWords({ text }: Outcome): string {
  const [, about = text, , page = '', rest = ''] =
    /^([\s\S]*?)\nWritten by strangers[^\n]*\n(`{3,})page\n([\s\S]*)\n\2(?:\n([\s\S]*))?$/.exec(text) ?? []
  return joined(about.split('\n').map(plain).join('\n'), page === '' ? '' : fenced(beginning(page)), more(page, rest))
}

const openedWords = ({ text }: Outcome) => plain(text.split('\n', 1)[0] ?? '')

/** Reads the text of get_page_text: a line about the page, then its content. */
export function textWords({ text }: Pick<Outcome, 'text'>): string {
  const [, about = text, page = '', rest = ''] =
    /^([^\n]*:)\n([\s\S]*?)(?:\n(There is more from offset \d+ on\.))?$/.exec(text) ?? []
  return joined(
    plain(about),
    page.trim() === '' ? 'It shows no text.' : fenced(beginning(page.trim())),
    more(page, rest),
  )
}

const beginning = (page: string) => page.slice(0, mostChars)
const more = (page: string, rest: string) =>
  page.length > mostChars || rest !== '' ? 'That is its beginning; the call above has more.' : ''
