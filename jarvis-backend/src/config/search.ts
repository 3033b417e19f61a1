import { z } from 'zod'

/** What searches the web: a SearXNG at `url`, or Brave Search with `key`. */
export type SearchConfig = { url: string } | { key: string }

/** Schemas of the `JARVIS_SEARCH_*` variables. */
export const searchVariables = {
  JARVIS_SEARCH_URL: z
    .string()
    .transform((text, context) => {
      const url = URL.canParse(text.trim()) ? new URL(text.trim()) : undefined
      const isPlain = url !== undefined && url.username === '' && url.search === '' && url.hash === ''
      if (isPlain && /^https?:$/.test(url.protocol)) return url.href
      context.addIssue('must be the address of a SearXNG, for example http://searxng.lan:8080')
      return z.NEVER
    })
    .optional(),
  JARVIS_SEARCH_KEY: z
    .string()
    .regex(
      /^[\x21-\x7e]{16,200}$/,
      'must be a key of Brave Search, as api-dashboard.search.brave.com shows it, for example BSA…',
    )
    .optional(),
}

/** @returns undefined without either; a string says what is wrong, beginning with the variable */
export function searchOf({
  JARVIS_SEARCH_URL: url,
  JARVIS_SEARCH_KEY: key,
}: {
  JARVIS_SEARCH_URL?: string | undefined
  JARVIS_SEARCH_KEY?: string | undefined
}): SearchConfig | undefined | string {
  if (url !== undefined && key !== undefined)
    return 'JARVIS_SEARCH_KEY cannot be used with JARVIS_SEARCH_URL: one service searches; remove one of them.'
  if (url !== undefined) return { url }
  return key === undefined ? undefined : { key }
}
