import { z } from 'zod'
import { actOn, browserTool, hostOf, named, onPage, pageOutput, prepareElement, Ref, seenOf } from './browser-tool.ts'

export const hoverElement = browserTool({
  name: 'hover_element',
  title: 'Point at an element',
  description: 'Moves the pointer over an element of the open page, as menus need that open by themselves.',
  tier: 'yellow',
  timeoutMs: 60_000,
  input: z.strictObject({ ref: Ref }),
  output: pageOutput,
  touches: [{ kind: 'network', on: 'web' }],
  effects: ({ ref }, world, ports) => {
    const seen = seenOf(ref, world, ports)
    const sentence = `The pointer moves over the ${named(seen)} on ${hostOf(seen.pageUrl)}.`
    return [onPage({ kind: 'network', url: seen.pageUrl, more: { sentence, deed: 'point at this element' } }, ports)]
  },
  prepare: prepareElement,
  ending: () => ({ look: 'Nothing is left to look at: the browser ended with JARVIS.' }),
  run: ({ ref }, context, ports) =>
    actOn(ref, { context, ports }, ({ locator }) => locator.hover({ signal: context.signal })),
})
