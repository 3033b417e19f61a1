import { join } from 'node:path'
import { beforeAll, expect, test, vi } from 'vitest'
import type { Commands } from '../../src/cli/command.ts'
import type { completion as Completion } from '../../src/cli/completion.ts'
import type { referenceText as ReferenceText } from '../../src/cli/help.ts'
import type { runCommand as RunCommand } from '../../src/cli/run-command.ts'
import type { compose as Compose } from '../../src/process.ts'
import { folder } from '../support/data-dir.ts'
import { atFileEnd } from '../support/file-end.ts'
import { besideTest, followRecipes, recipeOf } from '../support/follow-recipe.ts'
import { as, household, tokenOf } from '../support/persons.ts'
import { expectLine, expectShown } from '../support/recipe.ts'

// One build with five recipes followed, and one server: a build of the whole tree for each cost most of the time.

const recipes = [
  { heading: 'A REST route', path: 'src/tools/room.ts', after: '        routes: [\n' },
  { heading: 'A socket request', path: 'src/realtime/room.ts', after: '        requests: [\n' },
  { heading: 'A room', path: 'src/site.ts', after: '  const { cluster } = homelab\n' },
  { heading: 'A command', path: 'src/cli/commands.ts', after: 'new Commands([\n' },
  { heading: 'A doctor check', path: 'src/doctor/inspectors.ts', after: 'Inspector[] = [\n' },
]
type Built = {
  compose: typeof Compose
  runCommand: typeof RunCommand
  commands: Commands
  completion: typeof Completion
  referenceText: typeof ReferenceText
}
let built: Built
let house: Awaited<ReturnType<typeof household>>
const atEnd = atFileEnd()
beforeAll(async () => {
  built = await followRecipes<Built>(
    recipes,
    `export { compose } from './process.ts'
     export { runCommand } from './cli/run-command.ts'
     export { commands } from './cli/commands.ts'
     export { completion } from './cli/completion.ts'
     export { referenceText } from './cli/help.ts'`,
    atEnd,
  )
  house = await household({ compose: built.compose, atEnd })
  // Bundling the tree takes seconds of CPU time.
}, 120_000)

/** Runs a command. @returns what it prints */
async function run(words: string[], env: Record<string, string>): Promise<string> {
  const log = vi.spyOn(console, 'log').mockImplementation(() => {})
  try {
    await built.runCommand(words, env)
    return log.mock.calls.flat().join('\n')
  } finally {
    log.mockRestore()
  }
}

test('the recipes show the files beside this test, and the lines that judge what they add', () => {
  const beside = (name: string) => join(import.meta.dirname, name)
  const doors = 'jarvis-backend/test/rights/doors.ts'
  expectShown('A REST route', 'jarvis-backend/src/http/uptimes.ts', beside('uptimes.ts'))
  expectLine('A REST route', 'GET    /uptimes                                   whole+read    -         -', doors)
  expectShown('A socket request', 'jarvis-backend/src/realtime/guest-request.ts', beside('guest-request.ts'))
  expectLine('A socket request', '/cluster   cluster:guest     deciding  -         -', doors)
  expectShown('A room', 'jarvis-backend/src/notes/room.ts', beside('notes-room.ts'))
  for (const line of [
    'GET    /node-notes/:node                          whole         -         -',
    'PUT    /node-notes/:node                          deciding      -         -',
  ])
    expectLine('A room', line, 'jarvis-backend/src/site.ts')
  expect(recipeOf('A command').file).toBe(besideTest('nodes-command.ts', { '../../src/cli/': '../' }))
  expect(recipeOf('A doctor check').file).toBe(besideTest('free-memory.ts', { '../../src/doctor/': './' }))
})

test('the route of the recipe answers whoever may come, refuses others, and stands in the document', async () => {
  const { jarvis, program } = house
  const ask = (path: string, who: object) => jarvis.rest(path, who)
  const items = jarvis.homelab.cluster.state().nodes.map(({ name }) => expect.objectContaining({ node: name }))
  expect(await (await ask('/api/uptimes', as('per_viewer'))).json()).toEqual({ items })
  const token = program('per_viewer', 'read')
  expect((await ask('/api/uptimes', { headers: { authorization: `Bearer ${token}` } })).status).toBe(200)
  expect((await ask('/api/uptimes', as('per_member'))).status).toBe(403)
  expect((await ask('/api/uptimes?of=pve', as('per_viewer'))).status).toBe(400)
  expect((await fetch(`${jarvis.url}/api/uptimes`)).status).toBe(401)
  const document = (await (await ask('/api/openapi.json', as('per_viewer'))).json()) as { paths: object }
  expect(document.paths).toHaveProperty(['/api/uptimes', 'get', 'summary'], 'How long each node has run, s.')
})

test('the request of the recipe is acknowledged for whoever may make it, and refused for others', async () => {
  const { jarvis } = house
  const asks = async (who: string, payload: object): Promise<unknown> => {
    const { socket } = await jarvis.connect('/cluster', 'operator', tokenOf(`per_${who}`))
    return socket.emitWithAck('cluster:guest', payload)
  }
  expect(await asks('operator', { vmid: 103 })).toMatchObject({ ok: true, guest: { vmid: 103 } })
  expect(await asks('operator', { vmid: 'nas' })).toMatchObject({ ok: false, error: { code: 'invalid_request' } })
  expect(await asks('viewer', { vmid: 103 })).toMatchObject({ ok: false, error: { code: 'forbidden' } })
  expect(await asks('member', { vmid: 103 })).toMatchObject({ ok: false, error: { code: 'forbidden' } })
  expect(jarvis.requests.map(({ event }) => event)).toContain('cluster:guest')
})

test('the room of the recipe opens with the site, and its routes are served', async () => {
  const { jarvis } = house
  const text = { text: 'The fan is loud.' }
  const put = (role: 'operator' | 'viewer') => jarvis.rest('/api/node-notes/pve', { method: 'PUT', role, json: text })
  expect((await put('viewer')).status).toBe(403)
  expect((await put('operator')).status).toBe(200)
  expect(await (await jarvis.rest('/api/node-notes/pve', { role: 'viewer' })).json()).toEqual(text)
})

test('a command that follows the recipe runs, has help and completions, and stands on the page', async () => {
  const { commands, completion, referenceText } = built
  const env = { JARVIS_DATA_DIR: folder(), JARVIS_NODES: 'pve1=10.0.4.11,pve2=10.0.4.12' }
  expect(await run(['nodes'], env)).toBe('pve1  10.0.4.11\npve2  10.0.4.12')
  expect(await run(['nodes', 'pve2', '--json'], env)).toBe('["pve2"]')
  await expect(run(['nodes', 'pve9'], env)).rejects.toThrow('JARVIS_NODES does not name pve9.')
  await expect(run(['nodes', '--yaml'], env)).rejects.toThrow('There is no --yaml; there are --json.')
  await expect(run(['node'], env)).rejects.toThrow('Did you mean nodes?')
  expect(await run(['nodes', '--help'], env)).toContain('--json')
  expect(await run(['help'], env)).toContain('\n  nodes [NAME]')
  expect(referenceText(commands)).toContain('| `jarvis nodes [NAME]` | the nodes that JARVIS_NODES names')
  const write = vi.spyOn(process.stdout, 'write').mockImplementation(() => true)
  completion(['bash'], commands)
  const script = write.mock.calls.flat().join('')
  write.mockRestore()
  expect(script).toContain('nodes) words="--json"')
})

test('the doctor prints a check that follows the recipe', async () => {
  const env = { JARVIS_DATA_DIR: folder(), JARVIS_EMBEDDINGS: 'none', PORT: '0' }
  const lines = await run(['doctor', '--no-model'], env)
  process.exitCode = 0
  expect(lines).toMatch(/^[✓!] Memory +\d+ MiB of memory are free\./m)
})
