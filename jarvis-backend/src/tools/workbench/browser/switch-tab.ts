import { z } from 'zod'
import { browserTool, readingTouches, readsPage, sessionOf, TabNumber } from './browser-tool.ts'

export const switchTab = browserTool({
  name: 'switch_tab',
  title: 'Show or close a tab',
  description:
    'Shows another tab of this conversation’s browser, or closes one, and lists them. Without a tab it only lists them.',
  tier: 'green',
  timeoutMs: 30_000,
  input: z.strictObject({ tab: TabNumber.optional(), close: z.boolean().optional() }),
  output: z.object({ tabs: z.array(z.object({ tab: z.int(), url: z.string(), isShown: z.boolean() })) }),
  touches: readingTouches,
  shows: 'conversation',
  effects: (_input, _world, ports) => readsPage(ports),
  async run({ tab, close = false }, context, { browsers }) {
    return browsers.onOpen(sessionOf(context), async (browsing) => {
      if (tab !== undefined) await (close ? browsing.close(tab) : browsing.use(tab))
      const all = browsing.tabs()
      const shown = all.length === 0 ? undefined : browsing.tab().id
      const tabs = all.map(({ id, page }) => ({ tab: id, url: page.url(), isShown: id === shown }))
      const lines = tabs.map((one) => `Tab ${one.tab}${one.isShown ? ', shown' : ''}: ${one.url}`)
      const text = [...browsing.notes(), ...(lines.length === 0 ? ['No page is open.'] : lines)].join('\n')
      return { text, summary: `${tabs.length} ${tabs.length === 1 ? 'tab' : 'tabs'}`, data: { tabs } }
    })
  },
})
