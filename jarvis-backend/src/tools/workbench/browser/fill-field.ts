import { z } from 'zod'
import {
  actOn,
  browserTool,
  changingTouches,
  hostOf,
  named,
  onPage,
  pageOutput,
  prepareElement,
  Ref,
  seenOf,
} from './browser-tool.ts'

export const fillField = browserTool({
  name: 'fill_field',
  title: 'Fill a field of a page',
  description: 'Replaces the text of one field of the open page. It sends nothing; a password’s field asks.',
  tier: 'yellow',
  timeoutMs: 60_000,
  input: z.strictObject({ ref: Ref, text: z.string().max(4_000) }),
  output: pageOutput,
  touches: changingTouches,
  raises: [{ tier: 'red', words: 'a field for a password or a card' }],
  effects: ({ ref }, world, ports) => {
    const seen = seenOf(ref, world, ports)
    const sentence = `The ${named(seen)} on ${hostOf(seen.pageUrl)} is filled.`
    const because = 'It is a field for a password, a code or a card.'
    // A field that was not looked at yet may be a secret field.
    const atLeast = seen.isSecret === false ? {} : { atLeast: { tier: 'red', because, isAlways: true } as const }
    return [
      onPage({ kind: 'network', url: seen.pageUrl, more: { sentence, deed: 'fill this field', ...atLeast } }, ports),
    ]
  },
  prepare: prepareElement,
  ending: () => ({ look: 'Nothing is left to look at: the browser ended with JARVIS.' }),
  run: ({ ref, text }, context, ports) =>
    actOn(ref, { context, ports }, ({ locator }) => locator.fill(text, { signal: context.signal })),
})
