import { quoted } from 'redaction/visible'
import { z } from 'zod'
import { browserTool, inOneLine, readingTouches, readsPage, sessionOf } from './browser-tool.ts'

export const waitForPage = browserTool({
  name: 'wait_for_page',
  title: 'Wait for a page',
  description:
    'Waits until the open page shows a text, or does not show it any more, at most 30 seconds. Returns whether it does.',
  tier: 'green',
  timeoutMs: 45_000,
  input: z.strictObject({
    text: z.string().min(1).max(200),
    isGone: z.boolean().optional().describe('Wait until the text is gone.'),
    seconds: z.int().min(1).max(30).optional(),
  }),
  output: z.object({ isReached: z.boolean() }),
  touches: readingTouches,
  shows: 'conversation',
  effects: (_input, _world, ports) => readsPage(ports),
  async run({ text, isGone = false, seconds = 10 }, context, { browsers }) {
    return browsers.onOpen(sessionOf(context), async (browsing) => {
      const { page } = browsing.tab()
      context.onProgress(`Waiting for ${quoted(text, 120)}`)
      const wanted = isGone ? 'gone' : 'there'
      try {
        const state = isGone ? 'hidden' : 'visible'
        await page
          .getByText(text)
          .first()
          .waitFor({ state, timeout: seconds * 1_000, signal: context.signal })
        return {
          text: [`The text is ${wanted}.`, ...browsing.notes()].join('\n'),
          summary: wanted,
          data: { isReached: true },
        }
      } catch (error) {
        if (context.signal.aborted) throw error
        const said = [`After ${seconds} s the text is not ${wanted}: ${inOneLine(error)}`, ...browsing.notes()].join(
          '\n',
        )
        return { text: said, summary: `not ${wanted} after ${seconds} s`, data: { isReached: false } }
      }
    })
  },
})
