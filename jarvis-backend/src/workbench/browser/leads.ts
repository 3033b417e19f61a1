import type { Locator, Page } from 'playwright-core'
import { tiedTo } from './ties.ts'

/** The most elements of one kind that are read. If there are more, the addresses are not known. */
const mostLooked = 100

const above = (...names: readonly string[]) =>
  `xpath=ancestor-or-self::*[${names.map((name) => `local-name()='${name}'`).join(' or ')}]`
const either = (first: Locator, others: readonly Locator[]) => others.reduce((all, one) => all.or(one), first)

/**
 * The URLs of other sites to which a click on an element, or Enter in it, leads by the page's HTML: links and forms around or inside the element,
 * its buttons, the form that it belongs to, and image maps. Effects of the page's scripts are not known. The elements are found by selectors, whose
 * answer a page cannot forge.
 * @param element not in a frame @param pageUrl the page's URL, http(s)
 * @returns undefined if the URLs cannot be known: the element is inside a shadow root, which hides its ancestors, or is shown in a slot of one
 * @throws Error if the element is gone, or has too many related elements
 */
export async function elsewhereFrom(page: Page, element: Locator, pageUrl: string): Promise<string[] | undefined> {
  if ((await element.locator('xpath=ancestor-or-self::*[last()][self::html]').count()) !== 1) return undefined
  if ((await tiedTo(element, 'slots').count()) > 0) return undefined
  const [based] = await attributesOf(page.locator('xpath=//*[local-name()="base"][@href]').first(), 'href')
  const base = based === undefined ? pageUrl : (absolute(based, pageUrl) ?? pageUrl)

  const labels = element.locator(above('label')).or(element.locator('label'))
  const own = either(element, [labels, tiedTo(labels, 'controls')])
  const about = (upwards: string, inside: string) => own.locator(upwards).or(own.locator(inside))

  const forms = either(about(above('form'), 'form'), [tiedTo(own, 'forms')])
  const buttons = about('xpath=ancestor-or-self::*[@formaction]', '[formaction]')
  // Enter in a field, or a script, may press any button of the form.
  const isButton = (await element.locator(above('button')).count()) > 0
  const others = isButton ? [] : [forms.locator('[formaction]'), tiedTo(forms, 'buttons')]

  const written = [
    ...(await attributesOf(about(above('a', 'area'), 'a, area'), 'href', 'xlink:href')),
    ...(await attributesOf(tiedTo(own, 'areas'), 'href')),
    ...(await attributesOf(forms, 'action')),
    ...(await attributesOf(either(buttons, others), 'formaction')),
  ]
  const { origin } = new URL(pageUrl)
  const found = written.flatMap((text) => absolute(text, base) ?? [])
  return [...new Set(found.filter((url) => /^https?:/.test(url) && new URL(url).origin !== origin))]
}

/** The values of attributes of all matching elements. @throws Error if there are too many elements */
async function attributesOf(place: Locator, ...names: readonly string[]): Promise<string[]> {
  const all = await place.all()
  if (all.length > mostLooked) throw new Error('There are too many.')
  const values = await Promise.all(
    all.flatMap((one) => names.map((name) => one.getAttribute(name, { timeout: 2_000 }))),
  )
  return values.flatMap((value) => value ?? [])
}

function absolute(text: string, base: string): string | undefined {
  return URL.canParse(text, base) ? new URL(text, base).href : undefined
}
