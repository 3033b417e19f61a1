import type { Page } from 'playwright-core'

/** Opens a path by the dashboard's own router, and waits until what was shown before is gone, unless it is the same path: loading all of it anew costs more. */
export async function go(page: Page, path: string) {
  await page.evaluate(`if (location.pathname + location.search !== ${JSON.stringify(path)})
      document.querySelector('#main > *')?.setAttribute('data-left', '')
    history.pushState(null, '', ${JSON.stringify(path)})
    dispatchEvent(new PopStateEvent('popstate'))`)
  await page.locator('[data-left], [aria-busy=true].page').first().waitFor({ state: 'detached' })
}
