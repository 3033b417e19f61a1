import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const run = (options: object) => `axe.run(${JSON.stringify(options)}).then(({ violations }) => violations
  .filter(({ impact }) => impact === 'serious' || impact === 'critical')
  .flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => id + ': ' + target.join(' ') + ' ' + failureSummary)))`

/** Serious findings of axe on the page as it is, one line each. @param rules those alone; absent: all */
export async function seriousFindings(page: Page, rules?: readonly string[]): Promise<string[]> {
  if (await page.evaluate<boolean>("typeof axe === 'undefined'")) await page.evaluate(source)
  return page.evaluate<string[]>(run({ resultTypes: ['violations'], ...(rules && { runOnly: rules }) }))
}

/** Serious findings in both themes, one after the other on the same page; of the light one the colours alone, for all else is the same. */
export async function findingsInBothThemes(page: Page): Promise<string[]> {
  const found: string[] = []
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme })
    await page.locator(`html[data-theme=${colorScheme}]`).waitFor()
    const rules = colorScheme === 'dark' ? undefined : ['color-contrast']
    found.push(...(await seriousFindings(page, rules)).map((line) => `${colorScheme}: ${line}`))
  }
  return found
}
