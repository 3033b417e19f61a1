import { quoted } from 'redaction/visible'
import { z } from 'zod'
import { pageAddress } from '../../../workbench/browser/site.ts'
import {
  actOn,
  browserTool,
  changingTouches,
  elsewhereWords,
  hostOf,
  named,
  onPage,
  pageOutput,
  prepareElement,
  Ref,
  seenOf,
  staysOnSite,
} from './browser-tool.ts'

/** A link that only opens a page is opened without a click, so that no other code of the page runs. */
export const clickElement = browserTool({
  name: 'click_element',
  title: 'Click on an element',
  description:
    'Clicks on an element of the open page. A link that only opens a page of the same site is opened; every other click asks, because it may change anything.',
  tier: 'yellow',
  timeoutMs: 60_000,
  input: z.strictObject({ ref: Ref }),
  output: pageOutput,
  touches: changingTouches,
  raises: [
    { tier: 'red', words: 'an element that is no link' },
    { tier: 'red', words: 'a link to another site' },
  ],
  effects: ({ ref }, world, ports) => {
    const seen = seenOf(ref, world, ports)
    const { leadsTo, pageUrl, role } = seen
    if (leadsTo === undefined) {
      const sentence = `The ${named(seen)} on ${hostOf(pageUrl)} is clicked.${elsewhereWords(seen)}`
      const because = 'A click can change anything that the site lets it change.'
      return [
        onPage(
          {
            kind: 'remote',
            url: pageUrl,
            more: {
              sentence,
              deed: `click this ${plainRole(role)}`,
              atLeast: { tier: 'red', because },
              ...(staysOnSite(seen) && { scope: 'clicks' }),
            },
          },
          ports,
        ),
      ]
    }
    const sentence = `The browser opens ${quoted(leadsTo, 300)}, to which the ${named(seen)} on ${hostOf(pageUrl)} leads.`
    const because = `The page chose this address, and it is of another site than the page: ${hostOf(leadsTo)}.`
    const isSame = siteOf(leadsTo) === siteOf(pageUrl)
    const more = {
      sentence,
      deed: 'open where this link leads',
      ...(!isSame && { atLeast: { tier: 'red', because } as const }),
    }
    return [onPage({ kind: 'network', url: leadsTo, more }, ports)]
  },
  prepare: prepareElement,
  ending: () => ({ look: 'Look at the site: whether the click did something is not known.' }),
  run: ({ ref }, context, ports) =>
    actOn(ref, { context, ports }, ({ seen: { leadsTo }, locator }, browsing) => {
      const address = leadsTo === undefined ? undefined : pageAddress(leadsTo)
      const isClick = address === undefined || 'refused' in address
      return isClick ? locator.click({ signal: context.signal }) : browsing.open(address, context.signal)
    }),
})

const siteOf = (url: string) => {
  const address = pageAddress(url)
  return 'refused' in address ? '' : address.site
}

/** The role if it is one plain word, otherwise `element`. The page chooses the role from the words of a standard. */
export const plainRole = (role: string): string => (/^[a-z]{3,20}$/.test(role) ? role : 'element')
