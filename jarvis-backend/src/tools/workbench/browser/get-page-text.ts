import { z } from 'zod'
import type { Browsing } from '../../../workbench/browser/browsing.ts'
import { mostBytes } from '../../../workbench/browser/outline.ts'
import { browserTool, hostOf, Ref, readingTouches, readsPage, sessionOf } from './browser-tool.ts'

export const getPageText = browserTool({
  name: 'get_page_text',
  title: 'Read the text of the page',
  description:
    'The visible text of the open page, or of one element, without references, 24 KB at a time from an offset on.',
  tier: 'green',
  timeoutMs: 60_000,
  input: z.strictObject({ ref: Ref.optional(), offset: z.int().min(0).optional() }),
  output: z.object({ url: z.string(), chars: z.int(), nextOffset: z.int().nullable() }),
  touches: readingTouches,
  shows: 'conversation',
  effects: (_input, _world, ports) => readsPage(ports),
  async run({ ref, offset = 0 }, context, { browsers }) {
    return browsers.onOpen(sessionOf(context), async (browsing) => {
      context.onProgress('Reading the text of the page')
      const tab = ref === undefined ? browsing.tab() : tabOf(browsing, ref)
      const { signal } = context
      const whole =
        ref === undefined
          ? await tab.page.locator('body').innerText({ signal })
          : await (await tab.find(Number(ref.split('.')[1]))).locator.innerText({ signal })
      const part = beginning(whole.slice(offset))
      const end = offset + part.length
      const nextOffset = end < whole.length ? end : null
      const url = tab.page.url()
      const more = nextOffset === null ? '' : `\nThere is more from offset ${nextOffset} on.`
      const text = [`Text of ${url}, ${whole.length} characters:`, ...browsing.notes(), part].join('\n') + more
      return {
        text,
        summary: `${hostOf(url)}, ${part.length} characters`,
        data: { url, chars: whole.length, nextOffset },
      }
    })
  },
})

function tabOf(browsing: Browsing, ref: string) {
  browsing.use(Number(ref.split('.')[0]))
  return browsing.tab()
}

/** As much of the text as fits into `mostBytes`, without cutting a character. */
function beginning(text: string): string {
  const bytes = Buffer.from(text.slice(0, mostBytes))
  return bytes.length <= mostBytes
    ? bytes.toString()
    : bytes
        .subarray(0, mostBytes)
        .toString()
        .replace(/\uFFFD$/, '')
}
