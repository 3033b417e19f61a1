import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Means that a test may use, from the most to the least. Files of the first kind start first: they take the longest. */
export const projectNames = ['crash', 'browser', 'server', 'unit'] as const
export type ProjectName = (typeof projectNames)[number]

/** How long one test or hook of a project may take, in ms: a hang fails soon. What it waits for has less time, so that the failure says what that was. */
export const limits: Record<ProjectName, { testMs: number; waitMs: number }> = {
  unit: { testMs: 5_000, waitMs: 4_000 },
  server: { testMs: 20_000, waitMs: 15_000 },
  browser: { testMs: 60_000, waitMs: 30_000 },
  crash: { testMs: 60_000, waitMs: 30_000 },
}

const root = fileURLToPath(new URL('..', import.meta.url))
/** Modules that make a test one of a project, by how they are imported or where they are. */
const marks: [ProjectName, RegExp][] = [
  ['crash', /\/test\/support\/killed-\w+\.ts$/],
  ['browser', /^playwright-core$|\/scripts\/(?:shared-browser\.ts|chromium\.js)$/],
  [
    'server',
    /^node:(?:http|https|http2|net|tls|dgram|child_process|worker_threads)$|^fake-proxmox\/server$|\/src\/(?:process|workbench\/sandbox\/\w+)\.ts$|^sandbox\/[\w-]+$/,
  ],
]
const imported = /\b(?:from|import|import\()\s*'([^']+)'/g
/** Helpers of tests are followed, the product is not: what it could start is not what a test starts. */
const isOfTests = (path: string) => /\/(?:test|testing|dojo|bench)\/|\.test\.tsx?$/.test(path)
const reached = new Map<string, ReadonlySet<ProjectName>>()

/** All projects that a file's imports mark, through helpers too. */
function marksOf(path: string): ReadonlySet<ProjectName> {
  const known = reached.get(path)
  if (known !== undefined) return known
  const found = new Set<ProjectName>()
  reached.set(path, found)
  for (const [, name = ''] of readFileSync(path, 'utf8').matchAll(imported)) {
    const target = name.startsWith('.') ? join(dirname(path), name) : name
    for (const [project, mark] of marks) if (mark.test(target)) found.add(project)
    if (isOfTests(target) && target.endsWith('.ts') && existsSync(target))
      for (const project of marksOf(target)) found.add(project)
  }
  return found
}

/** The project of a file of tests: the most demanding of those that its imports mark. */
export const projectOf = (path: string): ProjectName =>
  projectNames.find((name) => name === 'unit' || marksOf(path).has(name)) ?? 'unit'

/** Paths, from the project's root, of all files of tests of one project. Cost: one read of each file of tests and helper. */
export const filesOf = (project: ProjectName): string[] =>
  testFiles().filter((path) => projectOf(join(root, path)) === project)

/** Paths, from the project's root, of all files of tests but those that `npm run test:night` runs. */
export function testFiles(): string[] {
  const places = [
    'jarvis-backend/src',
    'jarvis-backend/test',
    'jarvis-frontend/src',
    'jarvis-frontend/test',
    'packages',
  ]
  return places.flatMap((place) =>
    readdirSync(join(root, place), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.test\.tsx?$/.test(entry.name))
      .map((entry) => relative(root, join(entry.parentPath, entry.name)))
      .filter((path) => !path.includes('node_modules') && !path.endsWith('.night.test.ts')),
  )
}
