/** One result of a search, in the words of the page's author. */
export type SearchHit = { title: string; url: string; snippet: string }

/** The answer of a search. `silent`: engines that did not answer, such as `google (CAPTCHA)`; their results are missing. */
export type SearchAnswer = { hits: readonly SearchHit[]; silent: readonly string[] }

/**
 * The reason why a search failed.
 * - `format`: SearXNG is set up without the JSON format. `limited`: too many requests. `key`: the key was refused.
 * - `unreachable`: no answer. `odd`: an answer that is not one of a search.
 */
export type SearchProblem = 'format' | 'limited' | 'key' | 'unreachable' | 'odd'

/** `message`: what happened; `fix`: what to do about it. */
export class SearchFailed extends Error {
  readonly problem: SearchProblem
  readonly fix: string
  constructor(problem: SearchProblem, { message, fix }: { message: string; fix: string }, options?: ErrorOptions) {
    super(message, options)
    this.problem = problem
    this.fix = fix
  }
}

/** A search service. `place`: its name and address, for people. */
export type SearchEngine = {
  place: string
  /** Longest query that the service takes, characters. */
  mostChars: number
  /** Searches. @param query a query of one line @throws SearchFailed, or the signal's reason */
  search(query: string, asked: { count: number; signal: AbortSignal }): Promise<SearchAnswer>
}

/** The results whose addresses are http(s) URLs, each URL once, with their texts on one line. */
export function hitsOf(
  found: readonly { title?: unknown; url?: unknown; snippet?: unknown }[],
  count: number,
): SearchHit[] {
  const hits = new Map<string, SearchHit>()
  for (const { title, url, snippet } of found) {
    if (typeof url !== 'string' || !URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) continue
    const { href } = new URL(url)
    if (href.length <= 2_000 && !hits.has(href))
      hits.set(href, { title: line(title, 200), url: href, snippet: line(snippet, 500) })
  }
  return [...hits.values()].slice(0, count)
}

const line = (value: unknown, most: number) =>
  typeof value === 'string'
    ? value
        .replace(/<[^<>]{0,200}>/g, '')
        .replace(/\s+/g, ' ')
        .trim()
        .slice(0, most)
    : ''
