import { unquoted } from './act-inputs.ts'
import type { Act } from './acts.ts'
import { fileEndings } from './file-names.ts'
import { pageRead } from './inquiries/page-read.ts'
import { quote, says, unquote } from './says.ts'
import type { Outcome } from './seen.ts'
import { capitalized, plain, quotedInline } from './words.ts'

const mostHits = 5

/** Excludes names of files: `notes.txt` is a file, not a website. */
const files = `(?![\\w-]+\\.(?:${fileEndings}|service|sock)\\b(?![./:-]))`
const whole = '(?<url>https?://[^\\s"”`]+?)'
const bare = `(?<url>${files}[a-z0-9](?:[a-z0-9-]*\\.)+[a-z][a-z0-9-]+(?::\\d{1,5})?(?:/[^\\s"”\`]*?)?)`
const page = '(?:the )?(?:(?:page|site|website|address) )?'
/** Matches a request to show the page, at the end of a sentence. The page is shown in any case. */
const andTell = '(?:,? (?:and|then)(?: then)? (?:tell|say|show|read|report|summari[sz]e|give)\\b.{0,80})?'

/** Sentences that open an address. @param where pattern of the words after the address */
export const opening = (where = ''): RegExp[] =>
  says(
    `(?:open|read|fetch|show(?: me)?|get|visit|load|browse(?: to)?|go to|look at) ${page}${quote}?${whole}${unquote}?${where}${andTell}`,
    `(?:open|read|fetch|visit|load|browse(?: to)?|go to) ${page}${quote}?${bare}${unquote}?${where}${andTell}`,
  )

/** Returns the address as a browser accepts it, with a scheme. */
export const addressOf = (url = ''): string => (/^https?:\/\//i.test(url) ? url : `https://${url}`)

/** Sentences about pages and searches of the web. */
export const webActs: readonly Act[] = [
  {
    tool: 'web_search',
    on: 'nothing',
    says: says(
      '(?:search|ask|look (?:in|on)) (?:in |on )?the (?:web|internet|net) (?:for|about) (?<text>.+?)',
      '(?:(?:do|make|run) )?(?:an? )?(?:web|internet|online) search (?:for|about|on) (?<text>.+?)',
      '(?:search|look|find)(?: for| up)? (?<text>.+?) (?:on|in) the (?:web|internet|net)',
      '(?:google|search online for|look up online) (?<text>.+?)',
      'what does the (?:web|internet) (?:say|know) (?:about|of|on) (?<text>.+?)',
    ),
    input: ({ words }) => searched(unquoted(words.text)),
  },
  {
    tool: 'web_fetch',
    on: 'nothing',
    says: [
      ...opening(),
      ...says(
        `what (?:does|do) ${page}${quote}?(?:${whole}|${bare.replace('<url>', '<bare>')})${unquote}? (?:say|show|contain|tell(?: me| us)?)`,
        `what (?:is|stands) (?:on|at) ${page}${quote}?${whole}${unquote}?`,
      ),
    ],
    inquiry: ({ words }) => pageRead(addressOf(words.url ?? words.bare), 'web_fetch'),
  },
]

function searched(said: string): Record<string, unknown> | string {
  const query = said
    .replace(/\s+/g, ' ')
    .replace(/^(?:the|an?) /i, '')
    .slice(0, 400)
    .trim()
  return query.length < 2 ? 'For what, sir?' : { query }
}

/** Shows the results of a search: titles, addresses without links, and passages. */
export function searchWords({ text }: Outcome): string {
  const [head = ''] = text.split('\n', 1)
  const hits = [...text.matchAll(/^- (.*)\n {2}(https?:\/\/\S+)(?:\n {2}(.*))?$/gm)]
  if (hits.length === 0) return plain(text)
  const lines = hits
    .slice(0, mostHits)
    .map(([, title = '', url = '', passage]) =>
      [`- ${plain(title)}`, quotedInline(url), ...(passage === undefined ? [] : [plain(passage)])].join('\n  '),
    )
  const left = hits.length - lines.length
  return [
    `${capitalized(plain(head.replace(/ Written by strangers.*/s, '')))} Strangers wrote them:`,
    lines.join('\n'),
    `${left > 0 ? `${left} more stand in the call above. ` : ''}Say “open” and an address, and I read it.`,
  ].join('\n\n')
}
