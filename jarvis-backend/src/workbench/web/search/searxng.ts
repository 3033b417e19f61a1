import { z } from 'zod'
import { askJson } from './ask-json.ts'
import { hitsOf, type SearchEngine, SearchFailed } from './engine.ts'

const Answer = z.object({
  results: z.array(z.object({ title: z.unknown(), url: z.unknown(), content: z.unknown() })),
  unresponsive_engines: z.array(z.tuple([z.string(), z.string()]).rest(z.unknown())).optional(),
})

/** The operator's own SearXNG. @param address its URL, including a path if it has one */
export function searxng(address: string): SearchEngine {
  const place = `The SearXNG at ${address}`
  const fix = 'Is it on, and is JARVIS_SEARCH_URL its address, as a browser opens it?'
  return {
    place: `SearXNG at ${address}`,
    mostChars: 1_000,
    async search(query, { count, signal }) {
      const url = new URL('search', address.endsWith('/') ? address : `${address}/`)
      url.search = new URLSearchParams({ q: query, format: 'json' }).toString()
      const { status, json, text } = await askJson(url, { signal, place, fix })
      if (status === 403)
        throw new SearchFailed('format', {
          message: `${place} answered 403: it gives no JSON to programs.`,
          fix: 'Add json to search: formats: in its settings.yml (- html, - json) and restart it.',
        })
      if (status === 429)
        throw new SearchFailed('limited', {
          message: `${place} answered 429: its limiter keeps JARVIS away.`,
          fix: 'Set server: limiter: false in its settings.yml, or let the address of JARVIS pass in its limiter.toml (pass_ip), and restart it.',
        })
      const answer = status === 200 ? Answer.safeParse(json) : undefined
      if (answer?.success !== true)
        throw new SearchFailed('odd', { message: `${place} answered ${status}${oddWords(text)}.`, fix })
      const { results, unresponsive_engines: silent = [] } = answer.data
      return {
        hits: hitsOf(
          results.map(({ title, url: link, content }) => ({ title, url: link, snippet: content })),
          count,
        ),
        silent: silent.map(([engine, why]) => `${word(engine)} (${word(why)})`),
      }
    },
  }
}

const word = (text: string) => text.replace(/[^\w .:-]/g, '').slice(0, 60)
const oddWords = (text: string) => (/<html|<!doctype/i.test(text) ? ' with a page in place of results' : '')
