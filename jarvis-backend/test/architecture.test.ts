import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const src = fileURLToPath(new URL('../src', import.meta.url))

/** What each module may import besides itself and `lib`. `*`: everything, for it wires the rest. */
const mayImport: Record<string, readonly string[] | '*'> = {
  'main.ts': ['compose', 'config', 'store', 'version'],
  'compose.ts': '*',
  compose: '*',
  'version.ts': [],
  'memory-worker.ts': '*',
  memory: ['protocol'],
  workspace: ['protocol'],
  protocol: [],
  safety: ['protocol'],
  homelab: ['protocol'],
  tools: ['protocol', 'safety', 'homelab', 'workspace', 'memory'],
  agent: ['protocol'],
  providers: ['protocol', 'agent', 'memory'],
  store: ['protocol', 'agent', 'tools', 'auth', 'memory', 'push', 'homelab'],
  mcp: ['protocol', 'tools', 'agent', 'auth'],
  auth: ['protocol'],
  push: ['protocol', 'safety'],
  realtime: ['protocol', 'auth', 'agent', 'homelab', 'tools'],
  http: ['protocol', 'auth', 'agent', 'tools', 'homelab', 'memory', 'workspace', 'push'],
  cli: [
    'compose',
    'config',
    'auth',
    'store',
    'protocol',
    'safety',
    'tools',
    'mcp',
    'version',
    'homelab',
    'workspace',
    'doctor',
  ],
  doctor: ['config', 'homelab', 'protocol', 'providers', 'safety', 'store'],
  config: ['protocol', 'safety'],
  lib: [],
}

const moduleOf = (path: string) =>
  relative(src, path)
    .split(sep)[0]
    ?.replace(/^(compose|version)\.ts$/, '$1') ?? ''
const files = (readdirSync(src, { recursive: true }) as string[])
  .filter((name) => name.endsWith('.ts'))
  .map((name) => join(src, name))

function importsOf(path: string): { module: string; statement: string }[] {
  const text = readFileSync(path, 'utf8')
  return [...text.matchAll(/(?:from|import\()\s*'(\.[^']+)'/g)].map(([, specifier = '']) => ({
    module: moduleOf(join(dirname(path), specifier)),
    statement: `${relative(src, path)} → ${specifier}`,
  }))
}

test('dependencies point one way', () => {
  const stray = files
    .filter((path) => !path.endsWith('.test.ts'))
    .flatMap((path) => {
      const from = relative(src, path).split(sep)[0] ?? ''
      const allowed = mayImport[from]
      if (allowed === undefined) return [`${from} is not in the table`]
      if (allowed === '*') return []
      return importsOf(path)
        .filter(({ module }) => module !== moduleOf(path) && module !== 'lib' && !allowed.includes(module))
        .map(({ statement }) => statement)
    })
  expect(stray).toEqual([])
})

test('every effect goes through one door', () => {
  const callers = (pattern: RegExp) =>
    files
      .filter((path) => !path.endsWith('.test.ts') && pattern.test(readFileSync(path, 'utf8')))
      .map((path) => relative(src, path))
      .sort()
  expect(callers(/\btool\.run\(/)).toEqual(['tools/execute.ts'])
  expect(callers(/process\.env/)).toEqual(['cli/main.ts', 'main.ts'])
  expect(callers(/\.settle\(call,/)).toEqual(['agent/run-agent.ts'])
})
