import { sleep } from 'node-kit/clock'
import { z } from 'zod'
import type { Clock } from '../../../lib/clock.ts'
import { askJson } from './ask-json.ts'
import { hitsOf, type SearchEngine, SearchFailed } from './engine.ts'

const Answer = z.object({
  web: z
    .object({ results: z.array(z.object({ title: z.unknown(), url: z.unknown(), description: z.unknown() })) })
    .optional(),
})

/** The shortest time between two requests, ms: free keys allow one a second. */
const betweenMs = 1_100

/** Brave Search, with the operator's key. @param address the service's URL; tests use another one */
export function brave(key: string, clock: Clock, address = 'https://api.search.brave.com'): SearchEngine {
  const place = 'Brave Search'
  let nextAt = 0
  async function turn(signal: AbortSignal) {
    const now = clock.now()
    const waitMs = Math.max(0, nextAt - now)
    nextAt = now + waitMs + betweenMs
    if (waitMs > 0) await sleep(clock, waitMs, signal)
  }
  return {
    place,
    mostChars: 400,
    async search(query, { count, signal }) {
      await turn(signal)
      const url = new URL('/res/v1/web/search', address)
      url.search = new URLSearchParams({
        q: query,
        count: String(Math.min(20, count)),
        text_decorations: '0',
      }).toString()
      const fix = 'Can this machine reach api.search.brave.com?'
      const { status, json } = await askJson(url, { headers: { 'x-subscription-token': key }, signal, place, fix })
      if (status === 401 || status === 403)
        throw new SearchFailed('key', {
          message: `${place} does not take the key (${status}).`,
          fix: 'Check JARVIS_SEARCH_KEY.',
        })
      if (status === 429)
        throw new SearchFailed('limited', {
          message: `${place} answered 429: the key was used too often.`,
          fix: 'Wait a second, or look at its quota on api-dashboard.search.brave.com.',
        })
      const answer = status === 200 ? Answer.safeParse(json) : undefined
      if (answer?.success !== true)
        throw new SearchFailed('odd', { message: `${place} answered ${status}.`, fix: 'Try again later.' })
      return {
        hits: hitsOf(
          (answer.data.web?.results ?? []).map(({ title, url: link, description }) => ({
            title,
            url: link,
            snippet: description,
          })),
          count,
        ),
        silent: [],
      }
    },
  }
}
