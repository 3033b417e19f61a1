import type { Locator, Page } from 'playwright-core'
import { Mistake } from '../../gate/index.ts'
import { elsewhereFrom } from './leads.ts'
import { type AriaNode, type Box, elementsOf, interactiveOf, newsOf, outlineOf, showsFrame } from './outline.ts'
import { linkTarget } from './site.ts'

/** An element, as the page was last read. `ref`: tab and number, `1.25`. `leadsTo`: the target of a link that only opens a page. */
export type Seen = {
  ref: string
  role: string
  name: string
  pageUrl: string
  leadsTo?: string
  /** The element is in a frame, which may belong to another site than the page. */
  isFramed?: true
  /** The element holds a password or a similar secret; undefined: not checked yet. */
  isSecret?: boolean
  /** The element is or contains a frame, so a click would act inside the frame; undefined: not checked yet. */
  holdsFrame?: boolean
  /** URLs of other sites to which a click or Enter leads through a form or link of the page; undefined: not checked yet, or not known. */
  elsewhere?: readonly string[]
}

/** An element inside the screenshot, for people and for models that see pictures. */
export type Marked = { ref: string; role: string; name: string; box: Box }

export interface Tab {
  readonly id: number
  readonly page: Page
  /** Returns true if the page showed content of a frame when it was last read, or if the tab has shown another page since. */
  isMixed(): boolean
  /** Reads the page again. @returns the lines that the page did not show before; undefined if the tab shows a page at another address now */
  read(): Promise<string | undefined>
  /** Describes the page as it was last read. @throws Mistake if `within` is not on the page */
  outline(look: { find?: string | undefined; within?: string | undefined }): { text: string; isCut: boolean }
  /** An element as the page was last read. Does not contact the page. */
  seen(number: number): Seen | undefined
  /** Reads the page again and finds the element. @throws Mistake if the element is gone */
  find(number: number): Promise<{ seen: Seen; locator: Locator }>
  /** The elements inside the screenshot that can be acted on, in the page's order. */
  marked(): Promise<Marked[]>
}

/** Form fields whose content JARVIS never reads, and which it fills only after asking. */
const secretFields =
  'input[type=password], input[autocomplete^="cc-"], input[autocomplete="one-time-code"], input[autocomplete$="-password"]'
const frames = ['iframe', 'frame', 'object', 'embed']
const readMs = 20_000
/** The most numbers that are remembered for elements. An element keeps its number. */
const mostNumbers = 100_000

/** One page of a browser. Assigns the numbers by which the model names elements. */
export class BrowserTab implements Tab {
  readonly id: number
  readonly page: Page
  #tree: readonly (AriaNode | string)[] = []
  #readUrl: string
  readonly #numbers = new Map<string, number>()
  readonly #refs: string[] = []
  readonly #known = new Map<number, Seen>()
  #secrets = new Set<string>()
  /** The prefix of references to elements of the page itself. Each page that the tab shows has another prefix, and so has each frame. */
  #own = ''
  #isMixed = false

  /** @param id the tab's number, unique in this process */
  constructor(id: number, page: Page) {
    this.id = id
    this.page = page
    this.#readUrl = page.url()
  }

  isMixed(): boolean {
    return this.#isMixed
  }

  async read(): Promise<string | undefined> {
    const before = this.#tree
    const isSame = this.page.url() === this.#readUrl
    this.#tree = await this.#snapshot(false)
    this.#learn()
    return isSame ? newsOf(before, this.#tree, `${this.id}.`) : undefined
  }

  outline({ find, within }: { find?: string | undefined; within?: string | undefined }) {
    const outline = outlineOf(this.#tree, `${this.id}.`, { find, within: within?.split('.')[1] })
    if (outline === undefined) throw new Mistake(`within: ${within} is not on the page any more. Read the page again.`)
    return outline
  }

  seen(number: number): Seen | undefined {
    return this.#known.get(number)
  }

  async find(number: number): Promise<{ seen: Seen; locator: Locator }> {
    await this.read()
    const seen = this.#known.get(number)
    const ref = this.#refs[number - 1]
    if (seen === undefined || ref === undefined)
      throw new Mistake(`ref: ${this.id}.${number} is not on the page any more. Read the page again.`)
    const locator = this.page.getByRef(ref)
    const isSecret = await isSecretField(locator).catch(() => true)
    const holdsFrame = seen.isFramed === true || (await holdsFrames(locator).catch(() => true))
    const { elsewhere: _, ...rest } = seen
    const elsewhere =
      seen.isFramed === true ? undefined : await elsewhereFrom(this.page, locator, this.#readUrl).catch(() => undefined)
    const found = { ...rest, isSecret, holdsFrame, elsewhere }
    this.#known.set(number, found)
    return { seen: found, locator }
  }

  async marked(): Promise<Marked[]> {
    this.#tree = await this.#snapshot(true)
    this.#learn()
    const { width, height } = this.page.viewportSize() ?? { width: 0, height: 0 }
    return interactiveOf(this.#tree).flatMap(({ ref, role, name, box }) => {
      // The coordinates of a box in a frame are relative to the frame, so these elements are left out.
      if (box === undefined || prefixOf(this.#refs[Number(ref) - 1]) !== this.#own) return []
      const isInside = box.x >= 0 && box.y >= 0 && box.x < width && box.y < height && box.width > 0 && box.height > 0
      return isInside ? [{ ref: `${this.id}.${ref}`, role, name, box }] : []
    })
  }

  async #snapshot(boxes: boolean) {
    const { page } = this
    // Bring the page to the front: Chromium draws only the front page, and reading a page that is not drawn never ends.
    await page.bringToFront()
    const before = page.url()
    const raw = (await page.ariaSnapshotJSON({ mode: 'ai', boxes, timeout: readMs })) as readonly (AriaNode | string)[]
    this.#secrets = new Set(await secretsOf(page))
    this.#own = prefixOf(firstRef(raw))
    this.#isMixed = page.url() !== before || showsFrame(raw)
    return this.#numbered(raw)
  }

  /** Replaces the page's own references by numbers, and removes text that was typed into secret fields. */
  #numbered(nodes: readonly (AriaNode | string)[]): (AriaNode | string)[] {
    return nodes.map((node) => {
      if (typeof node === 'string') return node
      const { ref, text, children } = node
      return {
        ...node,
        ...(ref !== undefined && { ref: String(this.#numberOf(ref)) }),
        ...(text !== undefined && { text: this.#secrets.has(text) ? '(hidden)' : text }),
        ...(children !== undefined && { children: this.#numbered(children) }),
      }
    })
  }

  /** The number of a reference of the page, such as `f1e2`. Numbers are not words of any text. */
  #numberOf(ref: string): number {
    const known = this.#numbers.get(ref)
    if (known !== undefined) return known
    if (this.#refs.length >= mostNumbers) throw new Mistake('The page has changed too often. Open it again.')
    this.#refs.push(ref)
    this.#numbers.set(ref, this.#refs.length)
    return this.#refs.length
  }

  #learn(): void {
    this.#readUrl = this.page.url()
    const before = new Map(this.#known)
    this.#known.clear()
    for (const { ref, role, name, url } of elementsOf(this.#tree)) {
      const number = Number(ref)
      const isFramed = prefixOf(this.#refs[number - 1]) !== this.#own
      // The URL of a link in a frame is relative to the frame, so the link counts as a click and not as a known target.
      const target = role === 'link' && url !== undefined && !isFramed ? linkTarget(url, this.#readUrl) : undefined
      const { isSecret, holdsFrame, elsewhere } = before.get(number) ?? {}
      this.#known.set(number, {
        ref: `${this.id}.${number}`,
        role,
        name,
        pageUrl: this.#readUrl,
        ...(target !== undefined && { leadsTo: target.url }),
        ...(isFramed && { isFramed }),
        isSecret,
        holdsFrame,
        elsewhere,
      })
    }
  }
}

/** The frame's prefix of a reference: `f2` of `f2e1`. */
const prefixOf = (ref: string | undefined): string => /^(?:f\d+)?/.exec(ref ?? '')?.[0] ?? ''

/** The first reference in the page's order belongs to the page itself, because a frame's content comes after the frame. */
function firstRef(nodes: readonly (AriaNode | string)[]): string | undefined {
  return elementsOf(nodes)[0]?.ref
}

async function isSecretField(locator: Locator): Promise<boolean> {
  const attribute = async (name: string) => (await locator.getAttribute(name, { timeout: 2_000 }))?.toLowerCase() ?? ''
  return (
    (await attribute('type')) === 'password' || /^cc-|one-time-code|-password$/.test(await attribute('autocomplete'))
  )
}

/** Returns true if the element is or contains a frame. Found by selectors, whose answer a page cannot forge. */
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
