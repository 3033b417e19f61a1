import type { Locator, Selectors } from 'playwright-core'

/**
 * What an element of a page is tied to by more than its place. `controls`: what its labels are of. `forms`: whose its fields and buttons are,
 * as the page's parser saw them, which need not be around them. `buttons`: of a form, those with an address of their own. `areas`: of the maps of
 * its pictures. `slots`: the places of a shadow root at which it, or what it is in, is shown.
 */
export type Tie = 'controls' | 'forms' | 'buttons' | 'areas' | 'slots'

const engine = 'jarvis_tie'

/**
 * As text, because it runs in the browser: in a world of its own, whose objects no script of the page can touch. A form or the document gives
 * a field in place of what it is asked for where the page calls the field so, hence the getters of the prototypes.
 */
const content = `(() => {
  const getter = (of, name) => Object.getOwnPropertyDescriptor(of.prototype, name).get
  const [above, slotOf] = [getter(Node, 'parentElement'), getter(Element, 'assignedSlot')]
  const within = (root, selector) => [...(root instanceof Document ? Document : Element).prototype.querySelectorAll.call(root, selector)]
  const attribute = (node, name) => Element.prototype.getAttribute.call(node, name)
  const all = (selector) => within(document, selector)
  const allIn = (root) => (root instanceof Element ? [root] : []).concat(within(root, '*'))
  const formOf = (node) => (node.form instanceof HTMLFormElement ? node.form : undefined)
  const ties = {
    controls: (root) => allIn(root).flatMap((node) => (node instanceof HTMLLabelElement && node.control) || []),
    forms: (root) => allIn(root).flatMap((node) => (node instanceof HTMLFormElement ? [] : formOf(node) || [])),
    buttons: (root) => all('[formaction]').filter((node) => formOf(node) === root),
    areas(root) {
      const named = allIn(root).map((node) => (attribute(node, 'usemap') || '').replace(/^[^#]*#/, '').toLowerCase())
      return all('map').filter((map) => ['name', 'id'].some((key) => {
        const name = (attribute(map, key) || '').toLowerCase()
        return name !== '' && named.includes(name)
      })).flatMap((map) => within(map, 'area'))
    },
    slots(root) {
      for (let node = root; node instanceof Element; node = above.call(node)) if (slotOf.call(node)) return [slotOf.call(node)]
      return []
    },
  }
  const queryAll = (root, tie) => [...new Set(ties[tie](root))]
  return { queryAll, query: (root, tie) => queryAll(root, tie)[0] }
})()`

let isKnown: Promise<void> | undefined

/** Makes the ties known to browsers that are started from now on; once in a process. */
export function registerTies(selectors: Pick<Selectors, 'register'>): Promise<void> {
  isKnown ??= selectors.register(engine, { content }, { contentScript: true })
  return isKnown
}

/** The elements that the given ones are tied to. Needs `registerTies`. */
export const tiedTo = (elements: Locator, tie: Tie): Locator => elements.locator(`${engine}=${tie}`)
