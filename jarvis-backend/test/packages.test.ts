import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const packages = readdirSync(join(root, 'packages'), { withFileTypes: true }).filter((entry) => entry.isDirectory())
type Manifest = {
  description: string
  dependencies?: object
  devDependencies?: object
  exports: Record<string, string>
}
const manifestOf = (dir: string) => JSON.parse(readFileSync(join(dir, 'package.json'), 'utf8')) as Manifest
const imported = /^(?:import|export)\b[^'"`]*?\bfrom '([^']+)'|^import '([^']+)'|\bimport\('([^']+)'\)/gm
const importsOf = (text: string) =>
  [...text.matchAll(imported)].map(([, from, only, dynamic]) => from ?? only ?? dynamic ?? '')

test.each(packages.map(({ name }) => name))(
  '%s stands by itself: its own files, what it declares, and no word of JARVIS unless it is a part of JARVIS',
  (name) => {
    const dir = join(root, 'packages', name)
    const { description, dependencies, devDependencies, exports } = manifestOf(dir)
    const files = (readdirSync(dir, { recursive: true }) as string[])
      .filter((path) => /\.(?:ts|md|json)$/.test(path) && !path.startsWith('node_modules'))
      .map((path) => ({ path, text: readFileSync(join(dir, path), 'utf8') }))
    expect(files.map(({ path }) => path)).toEqual(
      expect.arrayContaining([
        'README.md',
        'example.ts',
        ...Object.values(exports).flatMap((path) => (path.includes('*') ? [] : [path.slice(2)])),
      ]),
    )
    if (!description.includes('JARVIS'))
      expect(files.filter(({ text }) => /jarvis/i.test(text)).map(({ path }) => path)).toEqual([])

    const shipped = [name, ...Object.keys({ ...dependencies })]
    const forTests = [...shipped, ...Object.keys({ ...devDependencies, ...manifestOf(root).devDependencies })]
    const stray = files.flatMap(({ path, text }) => {
      if (!path.endsWith('.ts')) return []
      const declared = path.startsWith('src') && !path.endsWith('.test.ts') ? shipped : forTests
      const isAllowed = (specifier: string) =>
        specifier.startsWith('.')
          ? !relative(dir, join(dir, dirname(path), specifier)).startsWith('..')
          : specifier.startsWith('node:') || declared.some((each) => `${specifier}/`.startsWith(`${each}/`))
      return importsOf(text).flatMap((specifier) => (isAllowed(specifier) ? [] : [`${path} → ${specifier}`]))
    })
    expect(stray).toEqual([])
  },
)

test('the image is built with the manifest of each package', () => {
  const dockerfile = readFileSync(join(root, 'Dockerfile'), 'utf8')
  const copied = [...dockerfile.matchAll(/^COPY packages\/(\S+)\/package\.json packages\/\1\/$/gm)]
  expect(copied.map(([, name]) => name).sort()).toEqual(packages.map(({ name }) => name).sort())
})
