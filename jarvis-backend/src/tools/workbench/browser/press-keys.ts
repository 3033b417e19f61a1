import { z } from 'zod'
import {
  actOn,
  browserTool,
  changingTouches,
  elsewhereWords,
  hostOf,
  named,
  onPage,
  pageOutput,
  prepareElement,
  Ref,
  seenOf,
  staysOnSite,
} from './browser-tool.ts'

/**
 * Keys that move the focus or the cursor, or change only a field. Other keys do more: Enter and Space press buttons, and letters are shortcuts on
 * many sites.
 */
const harmless =
  /^(?:Tab|Shift\+Tab|Escape|Home|End|PageUp|PageDown|ArrowUp|ArrowDown|ArrowLeft|ArrowRight|Backspace|Delete)$/

export const pressKeys = browserTool({
  name: 'press_keys',
  title: 'Press keys on a page',
  description:
    'Presses keys on one element of the open page, one after the other, by their names: Tab, ArrowDown, Escape, Enter, Control+A. Text goes in with fill_field. Enter, Space, letters and shortcuts ask.',
  tier: 'yellow',
  timeoutMs: 60_000,
  input: z.strictObject({
    ref: Ref,
    keys: z
      .array(z.string().regex(/^(?:(?:Control|Shift|Alt|Meta)\+){0,3}(?:[A-Z][A-Za-z]{2,15}|F\d{1,2}|[ -~])$/))
      .min(1)
      .max(20),
  }),
  output: pageOutput,
  touches: changingTouches,
  raises: [{ tier: 'red', words: 'Enter, Space, letters and shortcuts' }],
  effects: ({ ref, keys }, world, ports) => {
    const seen = seenOf(ref, world, ports)
    const isHarmless = keys.every((key) => harmless.test(key))
    const where = isHarmless ? '' : elsewhereWords(seen)
    const sentence = `The keys ${keys.join(' ')} are pressed on the ${named(seen)} on ${hostOf(seen.pageUrl)}.${where}`
    const because = 'These keys can do all that a click can.'
    const atLeast = isHarmless ? {} : { atLeast: { tier: 'red', because } as const }
    // Typed letter by letter, a text that was read elsewhere would escape the taint check.
    const isLikeClick = keys.every((key) => key === 'Enter' || harmless.test(key))
    const isScoped = isLikeClick && seen.isSecret === false && staysOnSite(seen)
    const more = { sentence, deed: 'press these keys', ...atLeast, ...(isScoped && { scope: 'clicks' as const }) }
    return [onPage({ kind: isHarmless ? 'network' : 'remote', url: seen.pageUrl, more }, ports)]
  },
  prepare: prepareElement,
  ending: () => ({ look: 'Look at the site: whether the keys did something is not known.' }),
  run: ({ ref, keys }, context, ports) =>
    actOn(ref, { context, ports }, async ({ locator }) => {
      for (const key of keys) await locator.press(key, { signal: context.signal })
    }),
})
