import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Locator, Page } from 'playwright-core'
import { isNight } from '../../../scripts/property-runs.ts'

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
/** All rules that run by default and find what is serious: a tenth of the time goes into the others. */
const seriousRules = `axe._audit.rules
  .filter(({ enabled, impact, tags }) => enabled && /serious|critical/.test(impact) && !/experimental|deprecated/.test(tags))
  .map(({ id }) => id)`
const run = (rules: readonly string[] | undefined) => `axe
  .run(document.querySelector('[data-looked-at]') ?? document, {
    resultTypes: ['violations'],
    runOnly: ${rules === undefined ? seriousRules : JSON.stringify(rules)},
  })
  .then(({ violations }) => violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => id + ': ' + target.join(' ') + ' ' + failureSummary)))
  .finally(() => document.querySelector('[data-looked-at]')?.removeAttribute('data-looked-at'))`

/**
 * Serious findings of axe, one line each.
 * @param where the page as it is, or the part of one that is new on it: a whole page takes up to half a second of a core
 * @param rules those alone; absent: all whose findings are serious
 */
export async function seriousFindings(where: Page | Locator, rules?: readonly string[]): Promise<string[]> {
  const page = 'page' in where ? where.page() : where
  if (await page.evaluate<boolean>("typeof axe === 'undefined'")) await page.evaluate(source)
  if ('page' in where) await where.evaluate((part) => part.setAttribute('data-looked-at', ''))
  return page.evaluate<string[]>(run(rules))
}

/** As `seriousFindings`, at night alone: by day axe looks where components of every kind are, in `browser-axe` and the dashboard's own tests. */
export const findingsAtNight = async (where: Page | Locator): Promise<string[]> =>
  isNight ? seriousFindings(where) : []

/** Serious findings in both themes, one after the other on the same page; of the light one the colours alone, for all else is the same. */
export async function findingsInBothThemes(page: Page): Promise<string[]> {
  const found: string[] = []
  for (const colorScheme of ['dark', 'light'] as const) {
    await wear(page, colorScheme)
    const rules = colorScheme === 'dark' ? undefined : ['color-contrast']
    found.push(...(await seriousFindings(page, rules)).map((line) => `${colorScheme}: ${line}`))
  }
  return found
}

/** Gives the page a theme, as a browser that prefers it does, and waits until it shows it. */
export async function wear(page: Page, colorScheme: 'dark' | 'light'): Promise<void> {
  await page.emulateMedia({ colorScheme })
  await page.locator(`html[data-theme=${colorScheme}]`).waitFor()
}
