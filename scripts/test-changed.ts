import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { folderInMemory } from './memory-folder.js'
import { projectOf, testFiles } from './test-projects.ts'

/*
 * Runs the tests that a change touches: `npm run test:changed [since]`. `since` is a commit, else what is not committed counts.
 * Pure tests count if they reach a changed file through any imports. Tests with a server, a page or a kill reach nearly every file, so they count
 * only near it: they were changed, a helper of theirs was, or they import the file themselves. The end says how many were left to `npm test`.
 */
const root = fileURLToPath(new URL('..', import.meta.url))
const [since = 'HEAD', ...more] = process.argv.slice(2)
const git = (...args: string[]) =>
  execFileSync('git', args, { cwd: root, encoding: 'utf8' })
    .split('\n')
    .filter((line) => line !== '')
const changed = new Set([
  ...git('diff', '--name-only', '--relative', since),
  ...git('ls-files', '--others', '--exclude-standard'),
])

const imported = /\b(?:from|import|import\()\s*'(\.[^']+)'/g
const known = new Map<string, string[]>()
/** Paths, from the root, of what a file imports of this project. */
function importsOf(path: string): string[] {
  let found = known.get(path)
  if (found !== undefined) return found
  found = []
  if (/\.[jt]sx?$/.test(path) && existsSync(join(root, path))) {
    for (const [, name = ''] of readFileSync(join(root, path), 'utf8').matchAll(imported)) {
      found.push(relative(root, join(root, dirname(path), name)))
    }
  }
  known.set(path, found)
  return found
}

/** Tests if a file reaches a changed one through `depth` imports at most. */
function reaches(path: string, depth: number, seen = new Set<string>()): boolean {
  if (changed.has(path)) return true
  if (depth === 0 || seen.has(path)) return false
  seen.add(path)
  return importsOf(path).some((next) => reaches(next, depth - 1, seen))
}

/** Through helpers of tests alone. */
function isNear(path: string, seen = new Set<string>()): boolean {
  if (changed.has(path)) return true
  if (seen.has(path) || !/\/test\/|\.test\.tsx?$/.test(path)) return false
  seen.add(path)
  return importsOf(path).some((next) => changed.has(next) || isNear(next, seen))
}

const files = testFiles()
const near = files.filter((path) =>
  projectOf(join(root, path)) === 'unit' ? reaches(path, Number.POSITIVE_INFINITY) : isNear(path),
)
const far = files.filter((path) => !near.includes(path) && reaches(path, Number.POSITIVE_INFINITY))
const rest = `${far.length} files of tests that reach the change from afar are left to npm test.`
if (near.length === 0) {
  console.log(`${changed.size} changed files, and no test near them. ${rest}`)
  process.exit(0)
}
const dir = folderInMemory()
const env = dir === undefined ? process.env : { ...process.env, TMPDIR: dir.path }
const { status } = spawnSync('npx', ['vitest', 'run', ...near, ...more], { cwd: root, stdio: 'inherit', env })
dir?.remove()
console.log(rest)
process.exit(status ?? 1)
