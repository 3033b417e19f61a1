import type { Locator, Page } from 'playwright-core'
import { Mistake } from '../../gate/index.ts'
import { elsewhereFrom } from './leads.ts'
import { type AriaNode, type Box, elementsOf, interactiveOf, newsOf, outlineOf, showsFrame } from './outline.ts'
import { linkTarget } from './site.ts'

/** One element as it was read last. `ref`: `1.25`, tab and number. `leadsTo`: of a link that only opens a page. */
export type Seen = {
  ref: string
  role: string
  name: string
  pageUrl: string
  leadsTo?: string
  /** It is in a frame, which may be of another site than the page. */
  isFramed?: true
  /** It holds a password or the like; undefined: not looked yet. */
  isSecret?: boolean
  /** It is a frame, or one is in it, and a click would land there; undefined: not looked yet. */
  holdsFrame?: boolean
  /** Addresses of other sites to which a click or Enter leads by a form or a link of the page; undefined: not looked yet, or not known. */
  elsewhere?: readonly string[]
}

/** An element in the picture, for people and models that see. */
export type Marked = { ref: string; role: string; name: string; box: Box }

export type Tab = {
  id: number
  page: Page
  /** Tells if the page showed something of a frame when it was read last, or if the tab shows another page since. */
  isMixed(): boolean
  /** Reads the page again. @returns what is on it that was not there before */
  read(): Promise<string>
  /** The page as it was read last. @throws Mistake where `within` is not on it */
  outline(look: { find?: string | undefined; within?: string | undefined }): { text: string; isCut: boolean }
  /** As it was read last; nothing is asked of the page. */
  seen(number: number): Seen | undefined
  /** Reads the page again and finds the element. @throws Mistake where it is gone */
  find(number: number): Promise<{ seen: Seen; locator: Locator }>
  /** The elements that can be acted on and are inside the picture, in the page's order. */
  marked(): Promise<Marked[]>
}

/** A form field whose content is nobody's to read or to fill unasked. */
const secretFields =
  'input[type=password], input[autocomplete^="cc-"], input[autocomplete="one-time-code"], input[autocomplete$="-password"]'
const frames = ['iframe', 'frame', 'object', 'embed']
const readMs = 20_000
/** Numbers stay with their elements, and this many are remembered. */
const mostNumbers = 100_000

/** One page of a browser, and the numbers that its elements have for the model. @param id unique in this process */
export function createTab(id: number, page: Page): Tab {
  let tree: readonly (AriaNode | string)[] = []
  let readUrl = page.url()
  const numbers = new Map<string, number>()
  const refs: string[] = []
  let secrets = new Set<string>()
  /** The prefix of references to elements of the page itself. Each page that the tab shows has its own prefix, and so has each frame. */
  let own = ''
  let isMixed = false

  /** The page's own references, such as `f1e2`, as numbers that are no words of any text. */
  const numberOf = (ref: string): number => {
    const known = numbers.get(ref)
    if (known !== undefined) return known
    if (refs.length >= mostNumbers) throw new Mistake('The page has changed too often. Open it again.')
    refs.push(ref)
    numbers.set(ref, refs.length)
    return refs.length
  }

  async function snapshot(boxes: boolean) {
    // Chromium draws no page that is behind another one, and an undrawn page is never read to its end.
    await page.bringToFront()
    const before = page.url()
    const raw = (await page.ariaSnapshotJSON({ mode: 'ai', boxes, timeout: readMs })) as readonly (AriaNode | string)[]
    secrets = new Set(await secretsOf(page))
    own = prefixOf(firstRef(raw))
    isMixed = page.url() !== before || showsFrame(raw)
    return numbered(raw)
  }

  /** With our numbers, and without what was typed into secret fields. */
  function numbered(nodes: readonly (AriaNode | string)[]): (AriaNode | string)[] {
    return nodes.map((node) => {
      if (typeof node === 'string') return node
      const { ref, text, children } = node
      return {
        ...node,
        ...(ref !== undefined && { ref: String(numberOf(ref)) }),
        ...(text !== undefined && { text: secrets.has(text) ? '(hidden)' : text }),
        ...(children !== undefined && { children: numbered(children) }),
      }
    })
  }

  const known = new Map<number, Seen>()
  function learn() {
    readUrl = page.url()
    const before = new Map(known)
    known.clear()
    for (const { ref, role, name, url } of elementsOf(tree)) {
      const number = Number(ref)
      const isFramed = prefixOf(refs[number - 1]) !== own
      // The address of a link in a frame is relative to the frame, so a click on it is judged as a click.
      const target = role === 'link' && url !== undefined && !isFramed ? linkTarget(url, readUrl) : undefined
      const { isSecret, holdsFrame, elsewhere } = before.get(number) ?? {}
      known.set(number, {
        ref: `${id}.${number}`,
        role,
        name,
        pageUrl: readUrl,
        ...(target !== undefined && { leadsTo: target.url }),
        ...(isFramed && { isFramed }),
        ...(isSecret !== undefined && { isSecret }),
        ...(holdsFrame !== undefined && { holdsFrame }),
        ...(elsewhere !== undefined && { elsewhere }),
      })
    }
  }

  const tab: Tab = {
    id,
    page,
    isMixed: () => isMixed,
    async read() {
      const before = tree
      const isSame = page.url() === readUrl
      tree = await snapshot(false)
      learn()
      return isSame ? newsOf(before, tree, `${id}.`) : ''
    },
    outline({ find, within }) {
      const outline = outlineOf(tree, `${id}.`, { find, within: within?.split('.')[1] })
      if (outline === undefined)
        throw new Mistake(`within: ${within} is not on the page any more. Read the page again.`)
      return outline
    },
    seen: (number) => known.get(number),
    async find(number) {
      await tab.read()
      const seen = known.get(number)
      const ref = refs[number - 1]
      if (seen === undefined || ref === undefined)
        throw new Mistake(`ref: ${id}.${number} is not on the page any more. Read the page again.`)
      const locator = page.getByRef(ref)
      const isSecret = await isSecretField(locator).catch(() => true)
      const holdsFrame = seen.isFramed === true || (await holdsFrames(locator).catch(() => true))
      const { elsewhere: _, ...rest } = seen
      const elsewhere =
        seen.isFramed === true ? undefined : await elsewhereFrom(page, locator, readUrl).catch(() => undefined)
      const found = { ...rest, isSecret, holdsFrame, ...(elsewhere !== undefined && { elsewhere }) }
      known.set(number, found)
      return { seen: found, locator }
    },
    async marked() {
      tree = await snapshot(true)
      learn()
      const { width, height } = page.viewportSize() ?? { width: 0, height: 0 }
      return interactiveOf(tree).flatMap(({ ref, role, name, box }) => {
        // Boxes in a frame count from the frame.
        if (box === undefined || prefixOf(refs[Number(ref) - 1]) !== own) return []
        const isInside = box.x >= 0 && box.y >= 0 && box.x < width && box.y < height && box.width > 0 && box.height > 0
        return isInside ? [{ ref: `${id}.${ref}`, role, name, box }] : []
      })
    },
  }
  return tab
}

/** `f2` of `f2e1`. */
const prefixOf = (ref: string | undefined): string => /^(?:f\d+)?/.exec(ref ?? '')?.[0] ?? ''

/** The first reference in the page's order is of the page itself: what is in a frame comes behind the frame. */
function firstRef(nodes: readonly (AriaNode | string)[]): string | undefined {
  return elementsOf(nodes)[0]?.ref
}

async function isSecretField(locator: Locator): Promise<boolean> {
  const attribute = async (name: string) => (await locator.getAttribute(name, { timeout: 2_000 }))?.toLowerCase() ?? ''
  return (
    (await attribute('type')) === 'password' || /^cc-|one-time-code|-password$/.test(await attribute('autocomplete'))
  )
}

/** Looked for by selectors, which a page cannot answer in the browser's place. */
async function holdsFrames(locator: Locator): Promise<boolean> {
  const self = `xpath=self::*[${frames.map((name) => `self::${name}`).join(' or ')}]`
  return (await locator.locator(frames.join(', ')).count()) + (await locator.locator(self).count()) > 0
}

async function secretsOf(page: Page): Promise<string[]> {
  const found: string[] = []
  for (const frame of page.frames()) {
    const fields = await frame
      .locator(secretFields)
      .all()
      .catch(() => [])
    for (const field of fields.slice(0, 20)) {
      const value = await field.inputValue({ timeout: 500 }).catch(() => '')
      if (value !== '') found.push(value)
    }
  }
  return found
}
