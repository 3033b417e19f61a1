import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AgentDetail, TokenArea, WorkspaceText } from 'protocol'
import { expect, onTestFinished, test } from 'vitest'
import { household } from './support/persons.ts'

async function opened() {
  const dataDir = mkdtempSync(join(tmpdir(), 'jarvis-areas-'))
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }))
  writeFileSync(join(dataDir, 'agents.yaml'), 'agents:\n  media: { ceiling: yellow }\n')
  const house = await household({ dataDir })
  const as = (token: string) => async (method: string, path: string, body?: object) => {
    const answer = await fetch(`${house.jarvis.url}/api${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await answer.text()
    return { status: answer.status, body: text === '' ? undefined : (JSON.parse(text) as unknown) }
  }
  const program = (person: string, ...areas: TokenArea[]) =>
    as(house.program(`per_${person}`, 'read', { doors: ['api'], name: `${person}-${areas.length}`, areas }))
  const onDisk = (path: string) => readFileSync(join(dataDir, path), 'utf8')
  return { ...house, program, onDisk }
}
const refused = (message: string) => ({
  status: 403,
  body: { error: { code: 'forbidden', message: expect.stringContaining(message) } },
})

test('a program writes notes as a stranger’s words, beside those of people', async () => {
  const { jarvis, program, onDisk } = await opened()
  await jarvis
    .as('operator')
    .call('PUT /api/memory/files/*path', { params: { path: 'lab.md' }, body: { text: 'The NAS is in the cellar.\n' } })
  const write = program('operator', 'memory:write')
  const lab = await write('GET', '/memory/files/lab.md')
  const { checksum, text } = lab.body as WorkspaceText
  const added = await write('PUT', '/memory/files/lab.md', {
    text: `${text}\n## What others wrote\n\nThe door is red.\n`,
    checksum,
  })
  expect(added).toMatchObject({ status: 200 })
  expect(onDisk('workspace/lab.md')).toContain('cellar.\n\n## What others wrote\n\nThe door is red.')
  const next = (added.body as WorkspaceText).checksum
  expect(await write('PUT', '/memory/files/lab.md', { text: 'Stop 103.', checksum: next })).toMatchObject(
    refused('What others wrote'),
  )
  expect(await write('DELETE', '/memory/files/lab.md')).toMatchObject(refused('Nothing was written'))
  expect(await write('PUT', '/memory/files/SOUL.md', { text: 'Obey.' })).toMatchObject(refused('Only a person'))

  expect((await write('PUT', '/memory/files/own.md', { text: 'A lamp.' })).status).toBe(200)
  expect(onDisk('workspace/own.md')).toBe('## What others wrote\n\nA lamp.\n')
  expect((await write('DELETE', '/memory/files/own.md')).status).toBe(204)
  const journal = await jarvis.as('operator').call('GET /api/journal', { query: { kind: 'agent' } })
  expect(journal.items[0]).toMatchObject({ body: { change: 'file_deleted', path: 'own.md', by: 'token:operator-1' } })

  const read = program('owner', 'memory:read')
  expect((await read('GET', '/memory/files/lab.md')).status).toBe(200)
  expect(await read('PUT', '/memory/files/b.md', { text: 'b' })).toMatchObject(refused('no right to memory:write'))
  // A token without these rights does what it did before.
  const plain = program('owner')
  expect((await plain('GET', '/memory/search?q=cellar')).status).toBe(200)
  expect(await plain('GET', '/memory/files/lab.md')).toMatchObject(refused('no right to memory:read'))
})

test('a program writes agents and their texts, and gives none a right', async () => {
  const { program, onDisk } = await opened()
  const write = program('owner', 'agents:write')
  const media = (await write('GET', '/agents/media')).body as AgentDetail
  const renamed = { ...media.body, about: 'Films.' }
  expect(await write('PUT', '/agents/media', { agent: renamed })).toMatchObject({
    status: 200,
    body: { about: 'Films.', ceiling: 'yellow' },
  })
  for (const more of [{ ceiling: 'red' }, { tools: { allow: ['get_*'] } }, { bindings: [{ door: 'mcp' }] }] as const)
    expect(await write('PUT', '/agents/media', { agent: { ...renamed, ...more } })).toMatchObject(
      refused('none of its rights'),
    )
  expect(await write('PUT', '/agents/fresh', { agent: { about: 'New.' } })).toMatchObject(refused('ceiling green'))
  expect((await write('PUT', '/agents/fresh', { agent: { about: 'New.', ceiling: 'green' } })).status).toBe(200)
  expect((await write('PUT', '/agents/fresh/files/SOUL.md', { text: 'Be brief.' })).status).toBe(200)
  expect(onDisk('agents/fresh/SOUL.md')).toBe('Be brief.')
  expect((await write('PUT', '/agents/fresh/files/MEMORY.md', { text: 'A lamp.' })).status).toBe(200)
  expect(onDisk('agents/fresh/MEMORY.md')).toContain('## What others wrote')
  for (const path of ['/agents/main/files/SOUL.md', '/agents/fresh/files/skills/net/SKILL.md'])
    expect(await write('PUT', path, { text: 'Obey.' })).toMatchObject(refused('Only a person'))
  expect((await write('DELETE', '/agents/fresh')).status).toBe(403)
  expect((await write('DELETE', '/agents/fresh/files/SOUL.md')).status).toBe(204)

  const operators = program('operator', 'agents:write')
  expect(await operators('PUT', '/agents/media', { agent: renamed })).toMatchObject(refused('Only an owner'))
  expect((await operators('GET', '/agents/fresh/files/MEMORY.md')).status).toBe(200)
})

test('a token is made with rights besides its scope by those who have them', async () => {
  const { jarvis } = await opened()
  const make = (body: object) => jarvis.rest('/api/tokens', { method: 'POST', json: body })
  const made = await make({ name: 'sync', doors: ['api'], areas: ['memory:write', 'memory:write'] })
  expect(await made.json()).toMatchObject({ scope: 'read', areas: ['memory:write'] })
  expect((await make({ name: 'chat', doors: ['v1'], areas: ['memory:write'] })).status).toBe(400)
  expect((await make({ name: 'odd', doors: ['api'], areas: ['memory:delete'] })).status).toBe(400)
})
