import { z } from 'zod'
import { Mistake } from '../../../gate/effect.ts'
import { actOn, browserTool, hostOf, named, onPage, pageOutput, prepareElement, Ref, seenOf } from './browser-tool.ts'

export const selectOption = browserTool({
  name: 'select_option',
  title: 'Choose an option of a page',
  description: 'Chooses one option of a list (combobox) of the open page, by its place from 1 on.',
  tier: 'yellow',
  timeoutMs: 60_000,
  input: z.strictObject({ ref: Ref, position: z.int().min(1).max(1_000) }),
  output: pageOutput,
  touches: [{ kind: 'network', on: 'web' }],
  effects: ({ ref, position }, world, ports) => {
    const seen = seenOf(ref, world, ports)
    const sentence = `Option ${position} of the ${named(seen)} on ${hostOf(seen.pageUrl)} is chosen.`
    return [onPage({ kind: 'network', url: seen.pageUrl, more: { sentence, deed: 'choose this option' } }, ports)]
  },
  prepare: prepareElement,
  ending: () => ({ look: 'Nothing is left to look at: the browser ended with JARVIS.' }),
  run: ({ ref, position }, context, ports) =>
    actOn(ref, { context, ports }, async ({ locator }) => {
      const count = await locator.locator('option').count()
      if (position > count) throw new Mistake(`position: the list has ${count} options.`)
      await locator.selectOption({ index: position - 1 }, { signal: context.signal })
    }),
})
