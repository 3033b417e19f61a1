import { hashOf } from 'node-kit/canonical'
import type { Missing } from 'protocol'
import { quoted } from 'redaction/visible'
import { z } from 'zod'
import { type Effect, Mistake } from '../../../gate/effect.ts'
import { type World, webEffect } from '../../../gate/index.ts'
import type { Browsers } from '../../../workbench/browser/browsers.ts'
import type { Browsing, Done } from '../../../workbench/browser/browsing.ts'
import { pageAddress } from '../../../workbench/browser/site.ts'
import type { Seen, Tab } from '../../../workbench/browser/tab.ts'
import { type PrepareContext, type Preview, type ToolContext, type ToolOutput, toolOver } from '../../tool.ts'

/** The parts that the tools over pages act through. `upload`: reads a file of the session's folder. */
export type BrowserPorts = {
  browsers: Browsers
  missing(): readonly Missing[]
  /** The downloads that were kept in a session's folder since the last call, as paths in it; undefined if there are none. */
  downloads(sessionId: string): readonly string[] | undefined
  /** @throws Mistake if there is no such file, or it is too large */
  upload(sessionId: string, path: string): { name: string; bytes: Buffer; hash: string }
}

/** Defines a tool over pages. Its result names the downloads that pages handed out until its end. */
export const browserTool: ReturnType<typeof toolOver<BrowserPorts>> = (definition) =>
  toolOver<BrowserPorts>()({
    ...definition,
    async run(input, context, ports) {
      const output = await definition.run(input, context, ports)
      const files = ports.downloads(context.sessionId ?? '')
      return files === undefined ? output : { ...output, files }
    },
  })

/** The reference of an element. It is neither a word nor a whole number: the taint check could find those by chance in the text of a page. */
export const Ref = z
  .string()
  .regex(/^\d{1,6}\.\d{1,6}$/)
  .describe('An element’s reference, as read_page shows it: 1.25.')
export const TabNumber = z.int().min(1).max(999_999)

export const pageOutput = z.object({
  url: z.string(),
  title: z.string(),
  tab: z.int(),
  isMixed: z.literal(true).optional().describe('Something of a frame stands in it, which may be of another site.'),
})

/** The least tier if this machine lacks something that the browser needs: the call is refused, and the refusal names the remedy. */
export const lacking = ({ missing }: BrowserPorts): Pick<Effect, 'atLeast'> => {
  const [first] = missing()
  if (first === undefined) return {}
  return { atLeast: { tier: 'black', because: `${first.what} is missing: ${first.remedy}.`, isAlways: true } }
}

/** The effects of reading a page that is already open: nothing leaves the sandbox. */
export const readsPage = (ports: BrowserPorts): Effect[] => [
  { kind: 'read', on: 'sandbox', target: { kind: 'none', id: 'sandbox/browser' }, ...lacking(ports) },
]
export const readingTouches = [{ kind: 'read', on: 'sandbox' }] as const

export const changingTouches = [
  { kind: 'network', on: 'web' },
  { kind: 'remote', on: 'web' },
] as const

/** The element as it was last read, in the session of the call. @throws Mistake if there is none */
export function seenOf(ref: string, { sessionId }: Pick<World, 'sessionId'>, { browsers }: BrowserPorts): Seen {
  const seen = browsers.seen(ref, sessionId)
  if (seen === undefined)
    throw new Mistake(`ref: there is no element ${ref} on an open page. Read the page with read_page.`)
  return seen
}

export const hostOf = (url: string): string => {
  const address = pageAddress(url)
  return 'refused' in address ? 'the page' : address.host
}

/** An element in a sentence: `button "Save"`. */
export const named = ({ role, name }: Pick<Seen, 'role' | 'name'>): string =>
  `${role} ${name === '' ? 'without a name' : quoted(name, 100)}`

type PageEffect = { kind: 'network' | 'remote'; url: string; more: Parameters<typeof webEffect>[2] }

/** An effect on the page that holds the element. Only http(s) pages can be open. */
export const onPage = ({ kind, url, more }: PageEffect, ports: BrowserPorts): Effect => {
  const address = pageAddress(url)
  if ('refused' in address) throw new Mistake('No page is open there. Open one with open_page.')
  return { ...webEffect(kind, address.url, more), ...lacking(ports) }
}

export const sessionOf = ({ sessionId }: { sessionId?: string | undefined }): string => {
  if (sessionId === undefined) throw new Mistake('A page belongs to a conversation, and this call has none.')
  return sessionId
}

/** A sentence that names the other sites to which a form or a link of the page leads. Empty if it leads to none, as far as the page tells. */
export const elsewhereWords = ({ elsewhere = [] }: Pick<Seen, 'elsewhere'>): string =>
  elsewhere.length === 0
    ? ''
    : ` A form or link there leads to another site: ${elsewhere
        .slice(0, 3)
        .map((url) => quoted(url, 200))
        .join(', ')}${elsewhere.length > 3 ? ' and others' : ''}.`

/**
 * Tells if a grant for the page's site may cover an act like a click: the element holds no frame, and leads to no other site as far as the page
 * tells.
 */
export const staysOnSite = ({ holdsFrame, elsewhere }: Pick<Seen, 'holdsFrame' | 'elsewhere'>): boolean =>
  holdsFrame === false && elsewhere?.length === 0

const basisOf = ({ ref, role, name, pageUrl, leadsTo, holdsFrame, elsewhere }: Seen) =>
  hashOf({ ref, role, name, pageUrl, leadsTo, holdsFrame, elsewhere })

/** Reads the element again, because the card names it and an approval covers only this element. @throws Mistake if it is gone */
export async function prepareElement(
  { ref }: { ref: string },
  context: PrepareContext,
  { browsers }: BrowserPorts,
): Promise<Preview> {
  const seen = await browsers.onOpen(sessionOf(context), async (browsing) => (await found(browsing, ref)).seen)
  return {
    now: `element ${ref}, ${named(seen)}, on ${quoted(seen.pageUrl, 200)}`,
    undo: { kind: 'none', because: 'JARVIS cannot take back what a site did.' },
    basis: { element: basisOf(seen) },
  }
}

type Found = Awaited<ReturnType<Tab['find']>>

/** Finds the element in the session's browser. @throws Mistake if it is gone, or belongs to another session */
async function found(browsing: Browsing, ref: string): Promise<Found> {
  const [tabId, number] = ref.split('.').map(Number)
  const tab = browsing.tabs().find(({ id }) => id === tabId)
  if (tab === undefined || number === undefined)
    throw new Mistake(`ref: the page of ${ref} is not open in this conversation. Read a page with read_page.`)
  browsing.use(tab.id)
  return tab.find(number)
}

/**
 * Does something to one element, if it is still the element by which the call was judged.
 * @param deed gets the element as it was read again. If it opens another page, it returns the outcome of that page
 */
export function actOn(
  ref: string,
  { context, ports }: { context: ToolContext; ports: BrowserPorts },
  deed: (element: Found, browsing: Browsing) => Promise<Done> | Promise<void>,
): Promise<ToolOutput> {
  return ports.browsers.onOpen(sessionOf(context), async (browsing) => {
    const element = await found(browsing, ref)
    if (basisOf(element.seen) !== context.preview?.basis?.element)
      throw new Mistake(`ref: ${ref} is another element now: ${named(element.seen)}. Nothing was done to it.`)
    context.onProgress(`On ${hostOf(element.seen.pageUrl)}: ${named(element.seen)}`)
    try {
      let opened: Done | undefined
      const done = await browsing.act(async () => {
        opened = (await deed(element, browsing)) ?? undefined
      }, context.signal)
      if (opened === undefined) return await pageAnswer(done)
      return await pageAnswer({ ...done, notes: [...opened.notes, ...done.notes] }, done.tab.outline({}).text)
    } catch (error) {
      if (error instanceof Mistake || context.signal.aborted) throw error
      // Only the first line is shown, because the lines after it hold the page's source.
      const text = [`It could not be done, or only in part: ${inOneLine(error)}`, ...browsing.notes()].join('\n')
      return { text, summary: 'not done', isError: true }
    }
  })
}

/** The answer about a page after an action on it. The page’s own words come last. */
export async function pageAnswer({ tab, news, notes, unreached }: Done, whole?: string): Promise<ToolOutput> {
  if (tab.page.isClosed()) {
    return { text: ['The tab was closed.', ...notes].join('\n'), summary: 'the tab was closed', isError: true }
  }
  const url = tab.page.url()
  const title = (await tab.page.title()).slice(0, 200)
  const shown = whole ?? news ?? tab.outline({}).text
  const isWhole = whole !== undefined || news === undefined
  const text = [
    `Page ${url} in tab ${tab.id}, title ${quoted(title, 200)}.`,
    ...notes,
    ...(shown === '' ? ['Nothing new is on the page.'] : [isWhole ? 'On the page:' : 'New on the page:', shown]),
  ].join('\n')
  return {
    text,
    summary: unreached ?? `${hostOf(url)}, ${quoted(title, 60)}`,
    ...(unreached !== undefined && { isError: true }),
    data: { url, title, tab: tab.id, ...(tab.isMixed() && { isMixed: true }) },
  }
}

/** The first line of the browser's error. */
export const inOneLine = (error: unknown): string =>
  ((error instanceof Error ? error.message : String(error)).split('\n')[0] ?? '').replace(/^[\w.]+: /, '')
