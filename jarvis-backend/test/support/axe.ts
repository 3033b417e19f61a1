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
