import { z } from 'zod'
import { defineSettings, type ValuesOf } from './setting.ts'

/** The service that searches the web: a SearXNG at `url`, or Brave Search with `key`. */
export type SearchConfig = { url: string } | { key: string }

export const searchSettings = defineSettings({
  JARVIS_SEARCH_URL: {
    section: 'Memory',
    schema: z
      .string()
      .transform((text, context) => {
        const url = URL.canParse(text.trim()) ? new URL(text.trim()) : undefined
        const isPlain = url !== undefined && url.username === '' && url.search === '' && url.hash === ''
        if (isPlain && /^https?:$/.test(url.protocol)) return url.href
        context.addIssue('must be the address of a SearXNG, for example http://searxng.lan:8080')
        return z.NEVER
      })
      .optional(),
    default: 'none',
    about: 'a SearXNG that searches [the web](web.md), for example `http://searxng.lan:8080`',
    example: 'http://searxng.lan:8080',
  },
  JARVIS_SEARCH_KEY: {
    section: 'Memory',
    schema: z
      .string()
      .regex(
        /^[\x21-\x7e]{16,200}$/,
        'must be a key of Brave Search, as api-dashboard.search.brave.com shows it, for example BSA…',
      )
      .optional(),
    secret: true,
    default: 'none',
    about:
      'in place of it, a key of Brave Search. Without either, the web is off unless `policy.yaml` says `workbench: {web: {fetch: true}}`',
    example: '',
  },
})

/** Combines the settings. @returns undefined if none is set; a string if there is a mistake; it begins with the variable */
export function searchOf({
  JARVIS_SEARCH_URL: url,
  JARVIS_SEARCH_KEY: key,
}: ValuesOf<typeof searchSettings>): SearchConfig | undefined | string {
  if (url !== undefined && key !== undefined)
    return 'JARVIS_SEARCH_KEY cannot be used with JARVIS_SEARCH_URL: one service searches; remove one of them.'
  if (url !== undefined) return { url }
  return key === undefined ? undefined : { key }
}
