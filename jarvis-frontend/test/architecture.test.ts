import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const src = fileURLToPath(new URL('../src', import.meta.url))
const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((file) => /\.(tsx?|css)$/.test(file))
const textOf = (file: string) => readFileSync(join(src, file), 'utf8')

/** Imports that each part may have; `lib` is open to all. */
const arrows: Record<string, readonly string[]> = {
  pages: ['app', 'features', 'realtime', 'api', 'ui'],
  app: ['features', 'realtime', 'api', 'ui'],
  'pages.ts': ['app', 'features'],
  features: ['realtime', 'api', 'ui'],
  realtime: [],
  api: [],
  ui: [],
  lib: [],
}
const partOf = (file: string) => file.split('/')[0] ?? ''
/** `features/chat`, `pages/chat`: features never import each other, nor do pages. */
const roomOf = (file: string) =>
  ['features', 'pages'].includes(partOf(file)) ? file.split('/').slice(0, 2).join('/') : partOf(file)

test('imports follow the arrows, and neither features nor pages import each other', () => {
  const strays: string[] = []
  for (const file of files.filter(
    (name) => /(?<!\.test)\.tsx?$/.test(name) && !['main.tsx', 'app.tsx'].includes(name),
  )) {
    for (const [, path = ''] of textOf(file).matchAll(/from '(\.[^']+)'/g)) {
      const target = relative(src, join(src, dirname(file), path))
      if (roomOf(target) === roomOf(file) || partOf(target) === 'lib') continue
      const isAllowed = arrows[partOf(file)]?.includes(partOf(target)) && partOf(target) !== partOf(file)
      if (!isAllowed) strays.push(`${file} → ${target}`)
    }
  }
  expect(strays).toEqual([])
})

test('of the protocol only what imports types alone is run, so that schemas stay out of the page', () => {
  const strays = files
    .filter((file) => !file.includes('.test.'))
    .filter((file) =>
      /import (?!type)[^']*'(?:protocol(?!\/(?:facts|model-apis|client)')|jarvis-backend\/(?!markdown'))/.test(
        textOf(file),
      ),
    )
  expect(strays).toEqual([])
  for (const name of ['facts', 'model-apis', 'client']) {
    const text = readFileSync(join(src, `../../packages/protocol/src/${name}.ts`), 'utf8')
    expect(text, name).not.toMatch(/^import (?!type)/m)
  }
  // The lexer of answers, which channels use too, brings nothing but its library.
  const markdown = readFileSync(join(src, '../../jarvis-backend/src/lib/bounded-lexer.ts'), 'utf8')
  expect(markdown.match(/^import .*/gm)).toEqual([expect.stringContaining("'marked'")])
})

test('only marks and tiers name a colour of health or risk', () => {
  const owners = ['ui/tokens.css', 'ui/mark.css', 'ui/tier.css', 'ui/contrast.test.ts']
  const strays = files.filter(
    (file) =>
      !owners.includes(file) && /--(ok|warn|bad)(-mark|-wash)?\b|(text|bg|border)-(ok|warn|bad)\b/.test(textOf(file)),
  )
  expect(strays).toEqual([])
})

test('nothing is ever set as HTML', () => {
  const strays = files.filter((file) => /dangerouslySetInnerHTML|innerHTML|insertAdjacentHTML/.test(textOf(file)))
  expect(strays).toEqual([])
})

test('a key of loaded data names one request in the whole dashboard, because all components with the key share the answer', () => {
  const asked = new Map<string, Set<string>>()
  const call = /use(?:Load|Newest)(?:<.+?>)?\(\s*([^,]+),\s*(?:[^,]+ \? )?(?:\(\) =>\s*)?([\w.]+(?:\('[^']+')?)/g
  const calls = files
    .filter((file) => !file.startsWith('api/'))
    .flatMap((file) => [...textOf(file).matchAll(call)].map(([, key = '', read = '']) => ({ file, key, read })))
  expect(calls.length).toBeGreaterThan(60)
  for (const { key, read } of calls) {
    const words = /^['`]([a-z][^'`$]*)/i.exec(key)?.[1]?.trim()
    if (words !== undefined) asked.set(words, (asked.get(words) ?? new Set()).add(read))
  }
  const unnamed = calls.filter(({ key }) => !/^['`][a-z]/i.test(key) && !['name', 'part'].includes(key))
  expect(unnamed).toEqual([])
  expect([...asked].filter(([, reads]) => reads.size > 1)).toEqual([])
})
