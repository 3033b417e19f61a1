import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const src = fileURLToPath(new URL('../src', import.meta.url))

/** The libraries of `packages/`, which stand by themselves: `packages.test.ts`. */
const packages = readdirSync(new URL('../../packages', import.meta.url), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)

/** Imports that each module may have besides itself and `lib`. `*`: everything, because the module wires the rest. */
const mayImport: Record<string, readonly string[] | '*'> = {
  'main.ts': ['process', 'config', 'store', 'version'],
  // The list of rooms, for the two sites that open them.
  'rooms.ts': '*',
  'replacements.ts': '*',
  'site.ts': '*',
  process: '*',
  // Types of the first rooms' parts.
  'foundation.ts': '*',
  // The kinds and facts of the house, by type alone.
  'house.ts': '*',
  // A room makes its own parts from what earlier rooms give it. Nothing but the site imports it.
  room: '*',
  version: [],
  'memory-worker.ts': '*',
  'backup-worker.ts': '*',
  gate: ['protocol', 'ssh-grammar', 'redaction'],
  // `fake-proxmox` for the demo's cluster, which is loaded and not imported.
  homelab: ['protocol', 'homelab-ports', 'fake-proxmox'],
  drill: ['protocol', 'homelab', 'homelab-ports'],
  watch: ['protocol', 'homelab', 'homelab-ports', 'runbooks'],
  // The ports of the watch over other rooms. Nothing but the room imports them.
  'watch/adapters': '*',
  runbooks: ['protocol'],
  skills: ['protocol', 'redaction'],
  plans: ['protocol', 'runbooks', 'gate', 'tools', 'calls', 'agent', 'redaction'],
  // It calls the rest through ports alone.
  jobs: ['protocol', 'redaction'],
  // The ports of jobs over other rooms. Nothing but the room imports them.
  'jobs/adapters': '*',
  memory: ['protocol', 'hybrid-index'],
  // `runbooks` for the library, which saves the runbooks among the texts.
  workspace: ['protocol', 'agents', 'runbooks', 'foundation.ts'],
  // The ends of what belongs to a removed person, over the stores.
  offboarding: ['protocol', 'auth', 'calls', 'jobs', 'store'],
  // Files, sandbox, web, browser, git and docker, a folder each.
  workbench: ['protocol', 'gate', 'ssh-grammar', 'redaction', 'sandbox'],
  // Each area of the workbench makes its parts as a room does. Nothing but the room imports it.
  'workbench/areas': '*',
  tools: [
    'protocol',
    'gate',
    'homelab',
    'homelab-ports',
    'drill',
    'workspace',
    'workbench',
    'memory',
    'ssh-grammar',
    'redaction',
  ],
  // `agent` for its port ToolRunner, which `calls` implements.
  calls: [
    'protocol',
    'access',
    'signing',
    'agent',
    'agents',
    'gate',
    'redaction',
    'homelab',
    'homelab-ports',
    'workspace',
    'memory',
    'tools',
  ],
  agents: ['protocol'],
  agent: ['protocol', 'agents'],
  // `agent` for its port BudgetKeeper.
  budgets: ['protocol', 'agent'],
  // The choice among the configured models, for the room alone.
  'providers/choice': '*',
  providers: ['protocol', 'agent', 'memory', 'sentence-encoder', 'demo-model'],
  store: [
    'hybrid-index',
    'protocol',
    'agent',
    'calls',
    'tools',
    'auth',
    'access',
    'signing',
    'memory',
    'channels',
    'homelab',
    'homelab-ports',
    'drill',
    'watch',
    'jobs',
    'budgets',
    'skills',
    'v1',
    'workbench',
    'time',
  ],
  'mcp/server': ['protocol', 'tools', 'calls', 'agent', 'auth'],
  'mcp/attached': ['protocol', 'gate', 'tools', 'calls', 'redaction'],
  v1: ['protocol', 'openai-door', 'auth', 'agent', 'agents', 'gate'],
  auth: ['protocol'],
  access: ['protocol', 'signing'],
  channels: ['protocol', 'redaction', 'access', 'signing'],
  // The ports of channels over other rooms. Nothing but the room imports them.
  'channels/house': '*',
  realtime: ['protocol', 'auth', 'agent', 'homelab', 'homelab-ports', 'calls'],
  http: [
    'protocol',
    'auth',
    'access',
    'agent',
    'agents',
    'tools',
    'calls',
    'homelab',
    'homelab-ports',
    'memory',
    'workspace',
    'workbench',
    'channels',
    'drill',
    'watch',
    'runbooks',
    'plans',
    'jobs',
    'skills',
  ],
  cli: [
    'agents',
    'offboarding',
    'process',
    'config',
    'auth',
    'signing',
    'budgets',
    'store',
    'jobs',
    'protocol',
    'gate',
    'tools',
    'calls',
    'mcp/server',
    'version',
    'homelab',
    'homelab-ports',
    'workspace',
    'doctor',
    'watch',
    'runbooks',
    'plans',
    'skills',
    'secrets',
    'workbench',
    // The settings of models, for the commands `models` and `doctor`.
    'providers',
  ],
  doctor: [
    'house',
    'config',
    'secrets',
    'drill',
    'homelab',
    'homelab-ports',
    'protocol',
    'providers',
    'gate',
    'store',
    'tools',
    'workbench',
  ],
  config: ['protocol', 'agents', 'gate', 'tools', 'redaction', 'secrets'],
  lib: [],
  log: ['protocol', 'redaction'],
  // It reports on every room.
  system: '*',
  time: [],
}

/** Folders that join a room with others, as its `room.ts` does. */
const joining = new Set(['workbench/areas', 'jobs/adapters', 'channels/house', 'providers/choice', 'watch/adapters'])
const isRoom = (path: string) => path.endsWith(`${sep}room.ts`)
/** `room` for the declaration of a room, else a folder of `src`; of `mcp`, the folder within it, because server and client share nothing. */
function moduleOf(path: string): string {
  const [first = '', second = ''] = relative(src, path).split(sep)
  if (isRoom(path)) return 'room'
  const folder = `${first}/${second}`
  if (first === 'mcp' || joining.has(folder)) return folder
  return first.replace(/^(process|version)\.ts$/, '$1')
}
const files = (readdirSync(src, { recursive: true }) as string[])
  .filter((name) => name.endsWith('.ts'))
  .map((name) => join(src, name))

const packagesDir = join(src, '../../packages')
const filesOfPackages = packages.flatMap((name) =>
  (readdirSync(join(packagesDir, name, 'src'), { recursive: true }) as string[])
    .filter((path) => path.endsWith('.ts'))
    .map((path) => join(packagesDir, name, 'src', path)),
)

function importsOf(path: string): { module: string; statement: string }[] {
  const text = readFileSync(path, 'utf8')
  return [...text.matchAll(/(?:from|import\()\s*'([^']+)'/g)].flatMap(([, specifier = '']) => {
    const [name = ''] = specifier.split('/')
    const statement = `${relative(src, path)} → ${specifier}`
    if (specifier.startsWith('.')) return { module: moduleOf(join(dirname(path), specifier)), statement }
    return packages.includes(name) ? { module: name, statement } : []
  })
}

test('dependencies point one way', () => {
  const stray = files
    .filter((path) => !path.endsWith('.test.ts'))
    .flatMap((path) => {
      const from = moduleOf(path)
      const allowed = mayImport[from]
      if (allowed === undefined) return [`${from} is not in the table`]
      if (allowed === '*') return []
      return importsOf(path)
        .filter(
          ({ module }) =>
            module !== moduleOf(path) &&
            !['lib', 'house.ts', 'house', 'node-kit'].includes(module) &&
            !allowed.includes(module),
        )
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
  expect(callers(/\btool\.run\(/)).toEqual(['calls/steps/run.ts'])
  expect(callers(/steps\/run\.ts'/)).toEqual(['calls/execute.ts'])
  expect(callers(/process\.env/)).toEqual(['cli/main.ts', 'main.ts'])
  expect(callers(/\.settle\(call,/)).toEqual(['agent/run/settle-calls.ts'])
})

test('nothing outside homelab imports homelab/proxmox', () => {
  const root = join(src, '..')
  const importing = ['src', 'test', 'bench', 'dojo'].flatMap((folder) =>
    (readdirSync(join(root, folder), { recursive: true }) as string[])
      .map((path) => join(root, folder, path))
      .filter((path) => path.endsWith('.ts') && !path.startsWith(join(src, 'homelab', sep)))
      .filter((path) => /from '[^']*homelab\/proxmox\//.test(readFileSync(path, 'utf8'))),
  )
  expect(importing.map((path) => relative(root, path))).toEqual([])
})

test('only the site opens rooms: others import types of a room at most', () => {
  const opening = files.filter(
    (path) =>
      relative(src, path) !== 'rooms.ts' &&
      (/^(?:import|export) (?!type\b).*\/room\.ts'/m.test(codeOf(path)) ||
        (!['site.ts', 'process.ts'].includes(relative(src, path)) && /from '.*\/rooms\.ts'/.test(codeOf(path)))),
  )
  expect(opening.map((path) => relative(src, path))).toEqual([])
})

test.each(['site.ts', 'process.ts'])('a room that %s opens gets only what was opened before it', (file) => {
  // A function at a time, because names are of one function.
  const functions = codeOf(join(src, file)).split(/^(?=(?:export )?(?:async )?function )/m)
  const declared = functions.flatMap((body) =>
    [...body.matchAll(/^ {2}const (?:(\w+)|\{([^}]+)\})/gm)].flatMap(({ index, 1: one, 2: several = '' }) =>
      (one === undefined ? several.split(',').filter((name) => name.trim() !== '') : [one]).map((name) => ({
        name: name.replace(/^.*:/, '').trim(),
        // Without the function's first lines, which name its parameters.
        before: body.slice(body.indexOf('{\n'), index),
      })),
    ),
  )
  expect(declared.length).toBeGreaterThan(10)
  const early = declared.filter(({ name, before }) => new RegExp(`(?<![.\\w'])${name}(?=[.(),])(?!:)`).test(before))
  expect(early.map(({ name }) => name)).toEqual([])
})

/** State that all sites of a process share, and why it tells no site of another. */
const sharedState: Record<string, string> = {
  'main.ts': 'a program',
  'backup-worker.ts': 'a program: each backup starts a thread of its own',
  'memory-worker.ts': 'a program: each site starts a thread of its own',
  'lib/ids.ts': 'random bytes, each used once',
  'lib/way-out.ts': 'the proxies of the environment, which all sites share',
  '../../packages/redaction/src/assignments.ts': 'memo: a key and what its name says',
  '../../packages/ssh-grammar/src/command-words.ts': 'memo: a command and its words',
  '../../packages/ssh-grammar/src/judge-command.ts': 'memo: a command and its verdict',
  'agent/repeats.ts': 'memo: an entry, which never changes, and its hash',
  'providers/conversation.ts': 'memo: the id of a call, and the id that requests use for it',
  'skills/folders.ts': 'memo: the hash of a skill’s files and what they say',
  'tools/catalog.ts': 'memo: a schema and its JSON',
  'tools/homelab/get-cluster-status.ts': 'memo: a state, which is of one site, and its summary',
  'workbench/browser/ties.ts': 'whether Playwright, which is one in a process, knows the ties',
  '../../packages/sandbox/src/task-group.ts': 'memo: the machine’s control group, which all sites share',
  'mcp/server/task-server.ts': 'keyed by a result object, which is of one call',
}

test('what a module keeps by itself is of no site', () => {
  const kept =
    /^(?:export )?(?:let |const \w+(?:: (?!Readonly|readonly)[^=]+)? = (?:new (?:Weak)?(?:Map|Set)(?:<.*>)?\(\)|\[\])$)/m
  const found = [...files, ...filesOfPackages].filter(
    (path) => !path.endsWith('.test.ts') && kept.test(readFileSync(path, 'utf8')),
  )
  expect(found.map((path) => relative(src, path)).filter((path) => !(path in sharedState))).toEqual([])
})

test('nothing but an operator’s own socket reaches a shell or a console', () => {
  const names = /\b(Terminals|Consoles|TerminalSession|ScreenSession|openTerminal|terminals|consoles|openable)\b/
  // Where they are made, wired, and served to a signed-in operator.
  const may = new Set(['homelab', 'system', 'realtime'])
  const folderOf = (path: string) => relative(src, path).split(sep)[0] ?? ''
  const reaching = files.filter((path) => !may.has(folderOf(path)) && names.test(codeOf(path)))
  expect(reaching.map((path) => relative(src, path))).toEqual([])
  const served = files.filter((path) => folderOf(path) === 'realtime' && /\bopenTerminal\(/.test(codeOf(path)))
  expect(served.map((path) => relative(src, path))).toEqual([join('realtime', 'terminal.ts')])
})

/** A file's text without comments. */
const codeOf = (path: string) => readFileSync(path, 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '')
