import { z } from 'zod'
import { Mistake } from '../../../gate/effect.ts'
import { browserTool, hostOf, onPage, pageAnswer, pageOutput, sessionOf, TabNumber } from './browser-tool.ts'

export const goBack = browserTool({
  name: 'go_back',
  title: 'Go back to the page before',
  description: 'Goes back to the page that a tab showed before, and returns its outline.',
  tier: 'yellow',
  timeoutMs: 60_000,
  input: z.strictObject({ tab: TabNumber }),
  output: pageOutput,
  touches: [{ kind: 'network', on: 'web' }],
  effects: ({ tab }, { sessionId }, ports) => {
    const known = ports.browsers.tab(tab, sessionId)
    if (known === undefined) throw new Mistake(`tab: there is no tab ${tab}.`)
    const sentence = `Tab ${tab} goes back from ${hostOf(known.pageUrl)} to the page before.`
    return [onPage({ kind: 'network', url: known.pageUrl, more: { sentence, deed: 'go back' } }, ports)]
  },
  ending: () => ({ look: 'Nothing is left to look at: the browser ended with JARVIS.' }),
  async run({ tab }, context, { browsers }) {
    return browsers.onOpen(sessionOf(context), async (browsing) => {
      browsing.use(tab)
      context.onProgress('Going back')
      const done = await browsing.act(async ({ page }) => {
        const went = await page.goBack({ waitUntil: 'domcontentloaded', signal: context.signal })
        if (went === null) throw new Mistake('tab: it showed no page before this one.')
      }, context.signal)
      return pageAnswer(done, done.tab.page.isClosed() ? '' : done.tab.outline({}).text)
    })
  },
})
