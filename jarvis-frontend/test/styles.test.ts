import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const src = fileURLToPath(new URL('../src', import.meta.url))
const textOf = (file: string) => readFileSync(join(src, file), 'utf8')
const files = readdirSync(src, { recursive: true, encoding: 'utf8' })
const sheets = files.filter((file) => file.endsWith('.css'))
const sources = files
  .filter((file) => /\.tsx?$/.test(file) && !file.includes('.test.'))
  .map(textOf)
  .concat(textOf('../index.html'))
const require = createRequire(import.meta.url)

/** Names of classes in the selectors of a sheet: what stands before a `{`. */
const classesIn = (sheet: string) =>
  [...sheet.replace(/\/\*.*?\*\/|"[^"]*"/gs, '').matchAll(/[^{};]*(?=\{)/g)].flatMap(([selector]) =>
    [...selector.matchAll(/\.([a-z][\w-]*)/gi)].map(([, name = '']) => name),
  )

/** Words of the sources' strings that hold nothing else: each may be a class. */
const words = new Set(
  sources.flatMap((source) =>
    [...source.matchAll(/'[\w -]+'|"[\w -]+"|`[^`]*`/g)].flatMap(([quoted]) => quoted.match(/[\w-]+/g) ?? []),
  ),
)
/** The text before the `${` of a class that is put together, as `code-` in `code-${kind}`. */
const beginnings = new Set(
  sources.flatMap((source) => [...source.matchAll(/([a-z]+-)\$\{/g)].map(([, beginning = '']) => beginning)),
)
/** Classes of elements that a library makes: those of the sheets imported from it. */
const ofLibraries = new Set(
  sources
    .flatMap((source) => [...source.matchAll(/^import '([^.'][^']*\.css)'/gm)])
    .flatMap(([, path = '']) => classesIn(readFileSync(require.resolve(path), 'utf8'))),
)

/** A class put together counts if a beginning is in the sources, and so is the rest. */
const isPutTogether = (name: string) =>
  [...beginnings].some((beginning) => name.startsWith(beginning) && words.has(name.slice(beginning.length)))

test('each class that a sheet selects is one that the sources or a library give to an element', () => {
  const selected = sheets.flatMap((file) => classesIn(textOf(file)).map((name) => ({ file, name })))
  expect(selected.length).toBeGreaterThan(500)
  const unused = selected.filter(({ name }) => !words.has(name) && !isPutTogether(name) && !ofLibraries.has(name))
  expect(unused.map(({ file, name }) => `${file}: .${name}`)).toEqual([])
})
