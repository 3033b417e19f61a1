import { PictureData } from 'protocol'
import { quoted } from 'redaction/visible'
import { z } from 'zod'
import { browserTool, hostOf, named, readingTouches, readsPage, sessionOf, TabNumber } from './browser-tool.ts'

const mostMarked = 60

export const takeScreenshot = browserTool({
  name: 'take_screenshot',
  title: 'Take a picture of the page',
  description:
    'A picture of what the open page shows now, and a list of the elements in it with their references. read_page is cheaper where words are enough.',
  tier: 'green',
  timeoutMs: 60_000,
  input: z.strictObject({ tab: TabNumber.optional() }),
  output: PictureData,
  view: 'picture',
  touches: readingTouches,
  shows: 'conversation',
  effects: (_input, _world, ports) => readsPage(ports),
  async run({ tab: wanted }, context, { browsers }) {
    return browsers.onOpen(sessionOf(context), async (browsing) => {
      if (wanted !== undefined) browsing.use(wanted)
      const tab = browsing.tab()
      const { page } = tab
      context.onProgress('Taking a picture of the page')
      const marked = await tab.marked()
      const data = await page.screenshot({ type: 'jpeg', quality: 70, signal: context.signal })
      const url = page.url()
      const title = (await page.title()).slice(0, 200)
      const { width, height } = page.viewportSize() ?? { width: 0, height: 0 }
      const shown = marked.slice(0, mostMarked)
      const elements = shown.map(({ ref, role, name, box }) => ({
        ref,
        role,
        name: name.slice(0, 80),
        x: Math.round(box.x),
        y: Math.round(box.y),
        leadsTo: browsers.seen(ref, context.sessionId)?.leadsTo !== undefined,
      }))
      const text = [
        `Picture of ${url} in tab ${tab.id}, title ${quoted(title, 200)}, ${width} x ${height}.`,
        ...browsing.notes(),
        `In it, with the place of the upper left corner (${shown.length} of ${marked.length}):`,
        ...shown.map((one) => `[${one.ref}] ${named(one)} at ${Math.round(one.box.x)},${Math.round(one.box.y)}`),
      ].join('\n')
      return {
        text,
        summary: `${hostOf(url)}, ${shown.length} elements`,
        data: { url, title, tab: tab.id, width, height, elements },
        images: [{ mimeType: 'image/jpeg', data }],
      }
    })
  },
})
