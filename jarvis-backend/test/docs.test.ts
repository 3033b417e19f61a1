import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { chatRequests, Entry, errorStatus, terminalRequests, usualLimits } from 'protocol'
import { expect, test } from 'vitest'
import { things } from '../src/gate/effect.ts'
import { effectKindFacts, effectKindNames } from '../src/gate/effect-kinds.ts'
import { makeChecks } from '../src/watch/checks/index.ts'

const root = resolve(import.meta.dirname, '../..')
const text = (path: string) => readFileSync(join(root, path), 'utf8')
const pages = [
  'README.md',
  ...readdirSync(join(root, 'docs')).flatMap((name) => (/\.md$/.test(name) ? [`docs/${name}`] : [])),
]

/** Code blocks hold no links and no headings. */
const prose = (page: string) => text(page).replace(/^```[\s\S]*?^```/gm, '')
/** As GitHub makes them of headings. */
const anchors = (page: string) =>
  [...prose(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replace(/\s/g, '-'),
  )
const links = pages.flatMap((page) =>
  [...prose(page).matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, link = '']) =>
    /^https?:/.test(link) ? [] : [{ page, link }],
  ),
)

test.each(links)('$page leads to $link', ({ page, link }) => {
  const [path = '', anchor] = link.split('#')
  const target = path === '' ? page : relative(root, join(root, dirname(page), path))
  expect(existsSync(join(root, target))).toBe(true)
  if (anchor !== undefined) expect(anchors(target)).toContain(anchor)
})

test.each(pages.slice(1))('a reader of the README finds %s', (page) => {
  expect(links.filter((link) => link.page === 'README.md').map(({ link }) => link.split('#')[0])).toContain(page)
})

test('the README says what CI runs', () => {
  expect(text('README.md')).toContain('`npm ci && npm test`')
  expect(text('.ci/run')).toMatch(/^npm ci$[\s\S]*^npm test\b/m)
})

test('the API page names every error, event, request and way in', () => {
  const page = text('docs/api.md')
  const shapes = Entry.options.flatMap((option) => ('shape' in option ? option.shape : option.options[0].shape))
  const events = shapes.map(({ type }) => `chat:${type.value}`)
  const names = [...Object.keys(errorStatus), ...Object.keys(chatRequests), ...Object.keys(terminalRequests), ...events]
  expect(names.filter((name) => !new RegExp(`\`${name}[\` ]`).test(page))).toEqual([])
  for (const [code, status] of Object.entries(errorStatus)) {
    expect(page).toMatch(new RegExp(`^\\|.*\`${code}\`.*\\| ${status} \\|$`, 'm'))
  }
})

test('every thing that a rule may name is explained', () => {
  const page = text('docs/policy.md')
  expect(things.filter((word) => !page.includes(`\`${word}\``))).toEqual([])
})

test('the table of effects is current (npm run reference)', async () => {
  const rows = effectKindNames().map((kind) => `| \`${kind}\` | ${effectKindFacts(kind)?.does} |\n`)
  const table = /(\| `effect` \| what the call does \|\n\|---\|---\|\n)(?:\|.*\n)+/
  expect(text('docs/policy.md')).toMatch(table)
  const current = text('docs/policy.md').replace(table, (_, head: string) => head + rows.join(''))
  await expect(current).toMatchFileSnapshot('../../docs/policy.md')
})

test('the page of checks has every check with its limit', () => {
  const page = text('docs/checks.md')
  const missing = makeChecks().filter(
    ({ id, limit }) => !page.includes(`| \`${id}\` |`) || !page.includes(limit(usualLimits)),
  )
  expect(missing.map(({ id }) => id)).toEqual([])
})
