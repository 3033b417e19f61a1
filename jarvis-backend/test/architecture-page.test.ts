import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import * as rooms from '../src/rooms.ts'

const root = new URL('../../', import.meta.url).pathname
const page = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8')
const quoted = [...page.matchAll(/`([^`\n]+)`/g)].map(([, text = '']) => text)

test('ARCHITECTURE.md names files that exist', () => {
  const paths = quoted.filter((text) => text.includes('/') && /^[\w./-]+$/.test(text) && !text.startsWith('/'))
  const isThere = (path: string) =>
    [root, join(root, 'jarvis-backend/src'), join(root, 'jarvis-frontend/src')].some((base) =>
      existsSync(join(base, path)),
    )
  expect(paths.length).toBeGreaterThan(50)
  expect(paths.filter((path) => !isThere(path))).toEqual([])
})

test('ARCHITECTURE.md has a line for each room, in its folder', () => {
  const named = new Map(
    [...page.matchAll(/^\| (`.*?) \| `(.*?)` \|/gm)].flatMap(([, names = '', folder = '']) =>
      [...names.matchAll(/`(\w+)`/g)].map(([, name = '']) => [name, folder] as const),
    ),
  )
  expect([...named.keys()].sort()).toEqual(Object.keys(rooms).sort())
  const source = readFileSync(join(root, 'jarvis-backend/src/rooms.ts'), 'utf8')
  const folders = new Map(
    [...source.matchAll(/export \{([^}]*)\} from '\.\/(.*?)room\.ts'/g)].flatMap(([, names = '', folder = '']) =>
      [...names.matchAll(/as (\w+)/g)].map(([, name = '']) => [name, folder] as const),
    ),
  )
  expect([...named].filter(([name, folder]) => folders.get(name) !== folder)).toEqual([])
})

test('ARCHITECTURE.md names each package', () => {
  const packages = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, unknown>
  }
  const names = Object.keys(packages.packages).flatMap((path) => /^packages\/([\w-]+)$/.exec(path)?.[1] ?? [])
  expect(names.filter((name) => !quoted.includes(name))).toEqual([])
})

test('each decision stands once in the index', () => {
  const folder = join(root, '.planning/decisions')
  const index = readFileSync(join(folder, 'README.md'), 'utf8')
  const linked = [...index.matchAll(/\]\(([\w-]+\.md)\)/g)].map(([, file = '']) => file)
  expect(linked.sort()).toEqual(
    readdirSync(folder)
      .filter((file) => file !== 'README.md')
      .sort(),
  )
})
