import type { Locator, Selectors } from 'playwright-core'

/**
 * A relation of an element to other elements that is not given by nesting. `controls`: the elements that its labels label. `forms`: the forms to
 * which its fields and buttons belong, as the page's parser assigned them; these forms need not enclose them. `buttons`: the buttons of a form that
 * have a URL of their own. `areas`: the areas of its image maps. `slots`: the slot of a shadow root in which the element or an ancestor is shown.
 */
export type Tie = 'controls' | 'forms' | 'buttons' | 'areas' | 'slots'

const engine = 'jarvis_tie'

/**
 * A selector engine for Playwright, as text because it runs in the browser. It runs in an isolated world, whose objects the page's scripts cannot
 * touch. If a page names a form field like a property, the form or document returns the field instead of the property, so the getters of the
 * prototypes are used.
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

/**
 * Registers the selector engine that `tiedTo` uses, for browsers that start after this call. Later calls in the same process return the first
 * result.
 */
export function registerTies(selectors: Pick<Selectors, 'register'>): Promise<void> {
  isKnown ??= selectors.register(engine, { content }, { contentScript: true })
  return isKnown
}

/** The elements that are related to the given elements by a tie. Call `registerTies` first. */
export const tiedTo = (elements: Locator, tie: Tie): Locator => elements.locator(`${engine}=${tie}`)
