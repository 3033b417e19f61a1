import { quoted } from 'redaction/visible'
import { z } from 'zod'
import { Mistake } from '../../../gate/effect.ts'
import { webEffect } from '../../../gate/index.ts'
import { pageAddress } from '../../../workbench/browser/site.ts'
import { browserTool, inOneLine, lacking, pageAnswer, pageOutput, sessionOf } from './browser-tool.ts'

const addressOf = (url: string) => {
  const address = pageAddress(url)
  if ('refused' in address) throw new Mistake(`url: ${quoted(url, 200)} ${address.refused}.`)
  return address
}

export const openPage = browserTool({
  name: 'open_page',
  title: 'Open a page in the browser',
  description:
    'Opens a web page in the sandboxed browser of this conversation and returns its outline, with references such as [1.25] for its elements. Use it for pages that need a browser: forms, buttons, pages made by scripts. web_fetch is cheaper for text. The browser reaches the site that was opened and no other one.',
  tier: 'yellow',
  timeoutMs: 90_000,
  input: z.strictObject({ url: z.string().min(4).max(4_000), isNewTab: z.boolean().optional() }),
  output: pageOutput,
  touches: [{ kind: 'network', on: 'web' }],
  effects: ({ url }, _world, ports) => {
    const address = addressOf(url)
    const sentence = `A browser without cookies opens ${quoted(address.url, 300)}.`
    return [{ ...webEffect('network', address.url, { sentence, deed: 'open this page' }), ...lacking(ports) }]
  },
  ending: () => ({ look: 'Nothing is left to look at: the browser ended with JARVIS.' }),
  async run({ url, isNewTab }, context, { browsers }) {
    context.onProgress(`Opening ${quoted(addressOf(url).host, 120)}`)
    return browsers.on(sessionOf(context), async (browsing) => {
      try {
        const done = await browsing.open(addressOf(url), context.signal, isNewTab)
        return await pageAnswer(done, done.tab.page.isClosed() ? '' : done.tab.outline({}).text)
      } catch (error) {
        if (error instanceof Mistake || context.signal.aborted) throw error
        const text = [`The page was not opened: ${inOneLine(error)}.`, ...browsing.notes()].join('\n')
        return { text, summary: 'not opened', isError: true }
      }
    })
  },
})
