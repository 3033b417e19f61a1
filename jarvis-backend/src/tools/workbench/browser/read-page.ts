import { z } from 'zod'
import {
  browserTool,
  pageAnswer,
  pageOutput,
  Ref,
  readingTouches,
  readsPage,
  sessionOf,
  TabNumber,
} from './browser-tool.ts'

export const readPage = browserTool({
  name: 'read_page',
  title: 'Read the open page',
  description:
    'Outline of the page that is open in this conversation’s browser: headings, text, and what can be acted on with its references. At most 24 KB; find shows only lines with these words, within only what is inside one element.',
  tier: 'green',
  timeoutMs: 60_000,
  input: z.strictObject({
    tab: TabNumber.optional(),
    find: z.string().min(1).max(200).optional(),
    within: Ref.optional(),
  }),
  output: pageOutput,
  touches: readingTouches,
  shows: 'conversation',
  effects: (_input, _world, ports) => readsPage(ports),
  async run({ tab, find, within }, context, { browsers }) {
    return browsers.onOpen(sessionOf(context), async (browsing) => {
      if (tab !== undefined) browsing.use(tab)
      context.onProgress('Reading the page')
      const done = await browsing.act(async () => undefined, context.signal)
      const others = browsing.tabs().filter(({ id }) => id !== done.tab.id)
      const notes = others.map(({ id, page }) => `Tab ${id} is ${page.url()}.`)
      return pageAnswer({ ...done, notes: [...done.notes, ...notes] }, done.tab.outline({ find, within }).text)
    })
  },
})
