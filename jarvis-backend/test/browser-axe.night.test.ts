import type { Page } from 'playwright-core'
import type { Role } from 'protocol'
import { expect } from 'vitest'
import { findingsInBothThemes } from './support/axe.ts'
import { go, test, useBrowser } from './support/browser.ts'
import { acts, lively, sizes } from './support/lively.ts'
import type { TestJarvis } from './support/start-jarvis.ts'

const { person } = useBrowser()

/** Somebody at the page of signing in, who is signed in at the next load. */
async function aboutToEnter(jarvis: TestJarvis, role: Role): Promise<Page> {
  const page = await person(jarvis, { viewport: sizes.desktop, colorScheme: 'dark' })
  await page.evaluate(`localStorage.setItem('jarvis.token', ${JSON.stringify(jarvis.token(role))})`)
  return page
}

const findings = async (page: Page, where: string) =>
  (await findingsInBothThemes(page)).map((line) => `${where} ${line}`)

/** A window is made as wide as a phone, or as a desk's, and shows it: a phone has its pages in a bar, under More. */
async function resize(page: Page, size: keyof typeof sizes) {
  await page.setViewportSize(sizes[size])
  const more = page.getByRole('link', { name: 'More', exact: true })
  await more.first().waitFor({ state: size === 'phone' ? 'visible' : 'hidden' })
}

test.each(['operator', 'viewer'] as const)(
  'axe finds nothing serious on any page, in any theme, at a desk and on a phone: %s',
  async (role) => {
    const { jarvis, pages } = await lively()
    const page = await aboutToEnter(jarvis, role)
    await page.getByLabel('Password', { exact: true }).waitFor()
    const found = await findings(page, 'sign-in')
    await page.setViewportSize(sizes.phone)
    found.push(...(await findings(page, 'sign-in on a phone')))
    await page.setViewportSize(sizes.desktop)
    await page.goto(`${jarvis.url}/settings`)
    await page.getByText('Demo').filter({ visible: true }).first().waitFor()
    for (const { path, seen } of pages) {
      await go(page, path)
      for (const size of ['desktop', 'phone'] as const) {
        await resize(page, size)
        await page.getByText(seen).filter({ visible: true }).first().waitFor()
        found.push(...(await findings(page, `${path} ${size}`)))
        // Nothing is offered that a viewer may not do.
        if (role === 'viewer') found.push(...(await page.getByRole('button', { name: acts }).allTextContents()))
      }
      await resize(page, 'desktop')
    }
    for (const key of ['Control+k', '?']) {
      await page.keyboard.press(key)
      await page.getByRole('dialog').waitFor()
      found.push(...(await findings(page, key)))
      await page.keyboard.press('Escape')
      await page.getByRole('dialog').waitFor({ state: 'detached' })
    }
    expect(found).toEqual([])
  },
)
