import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import jwt from 'jsonwebtoken'
import type { ConfirmationRow, RoleInfo, Status, TryRoleReply } from 'protocol'
import { expect, onTestFinished, test } from 'vitest'
import { SqlitePersonStore } from '../src/store/sqlite/access/people.ts'
import { openDatabase } from '../src/store/sqlite/database.ts'
import { jarvisHere as cli } from './support/command-here.ts'
import { jwtSecret, password, startJarvis, type TestJarvis } from './support/start-jarvis.ts'

const twoOf = (more = '') => `
roles:
  minecraft: [{may: restart, on: ct/130}]
rules: [{name: two, tools: [stop_vm], tier: red, because: Two people., approve: {count: 2}}]
${more}`

/** Several people of one installation, whose roles a test changes. */
async function house(policy = twoOf(), dataDir = mkdtempSync(join(tmpdir(), 'jarvis-roles-'))) {
  writeFileSync(join(dataDir, 'policy.yaml'), policy)
  const jarvis = await startJarvis({ dataDir })
  const database = openDatabase(join(dataDir, 'jarvis.db'))
  onTestFinished(() => database.close())
  const people = new SqlitePersonStore(database)
  for (const [name = '', role = ''] of [
    ['ann', 'operator'],
    ['ben', 'operator'],
    ['cem', 'owner'],
    ['kid', 'minecraft'],
  ])
    people.add({ id: `per_${name}`, name, role, createdAt: 1 }, undefined)
  return { jarvis, people }
}

const tokens = new Map<string, string>()
function tokenOf(sub: string): string {
  const token =
    tokens.get(sub) ??
    jwt.sign({ sub, role: 'operator' }, jwtSecret, { algorithm: 'HS256', issuer: 'jarvis', expiresIn: 3600 })
  tokens.set(sub, token)
  return token
}
const as = (sub: string) => ({ headers: { authorization: `Bearer ${tokenOf(sub)}` } })

/** The owner asks to stop 103. */
async function asked(jarvis: TestJarvis) {
  const screen = await jarvis.connect()
  await screen.ask('chat:send', { message: '/stop_vm vmid=103' })
  const card = await screen.next('chat:confirm_needed')
  return { screen, card, toolUseId: card.toolUseId }
}
async function decide(jarvis: TestJarvis, toolUseId: string, sub: string, confirmed = true): Promise<string> {
  const response = await jarvis.rest(`/api/confirmations/${toolUseId}`, {
    ...as(sub),
    method: 'POST',
    json: { confirmed },
  })
  return response.ok ? 'ok' : ((await response.json()) as { error: { code: string } }).error.code
}
const rowOf = async (jarvis: TestJarvis, id: string) => {
  const { items } = (await (await jarvis.rest('/api/confirmations')).json()) as { items: ConfirmationRow[] }
  return items.find(({ toolUseId }) => toolUseId === id)
}
async function journalled(jarvis: TestJarvis, kind: string) {
  const { items } = (await (await jarvis.rest(`/api/journal?kind=${kind}`)).json()) as {
    items: { body: Record<string, unknown> }[]
  }
  return items.map(({ body }) => body)
}

test('a card that two people approve waits for both, neither of them the one who asked', async () => {
  const { jarvis } = await house()
  const { screen, card, toolUseId } = await asked(jarvis)
  expect(card).toMatchObject({ approvals: { needed: 2, by: [], roles: ['operator'], notAsker: true } })
  expect(card.isGrantable).toBeUndefined()

  expect(await decide(jarvis, toolUseId, 'operator')).toBe('forbidden')
  expect(await decide(jarvis, toolUseId, 'per_kid')).toBe('forbidden')
  expect(await decide(jarvis, toolUseId, 'per_ann')).toBe('ok')
  expect(await decide(jarvis, toolUseId, 'per_ann')).toBe('already_decided')
  expect(jarvis.controls.effects).toHaveLength(0)
  const waiting = await rowOf(jarvis, toolUseId)
  expect(waiting?.decision).toBeUndefined()
  expect(waiting?.approvals?.by).toEqual([{ person: 'per_ann', name: 'ann', at: expect.any(Number) }])

  expect(await decide(jarvis, toolUseId, 'per_ben')).toBe('ok')
  await screen.next('chat:done')
  expect(jarvis.controls.effects).toHaveLength(1)
  expect(await journalled(jarvis, 'approval')).toMatchObject([
    { toolUseId, by: 'per_ben', number: 2, of: 2 },
    { toolUseId, by: 'per_ann', number: 1, of: 2 },
  ])
  expect(await journalled(jarvis, 'decision')).toMatchObject([{ toolUseId, decision: 'approved', by: 'per_ben' }])
})

test('of a hundred approvals by four people at once two count, and one effect happens', async () => {
  const { jarvis } = await house()
  const { screen, toolUseId } = await asked(jarvis)
  const subs = ['per_ann', 'per_ben', 'per_cem', 'operator']
  const all = await Promise.all(
    Array.from({ length: 100 }, (_, index) => decide(jarvis, toolUseId, subs[index % 4] ?? '')),
  )
  await screen.next('chat:done')
  expect(all.filter((code) => code === 'ok')).toHaveLength(2)
  expect(['ok', 'forbidden', 'already_decided']).toEqual(expect.arrayContaining([...new Set(all)]))
  expect(await journalled(jarvis, 'approval')).toHaveLength(2)
  expect(jarvis.controls.effects).toHaveLength(1)
})

test('one denial after the first yes ends it', async () => {
  const { jarvis } = await house()
  const { screen, toolUseId } = await asked(jarvis)
  expect(await decide(jarvis, toolUseId, 'per_ann')).toBe('ok')
  expect(await decide(jarvis, toolUseId, 'operator', false)).toBe('ok')
  await screen.next('chat:done')
  expect(await decide(jarvis, toolUseId, 'per_ben')).toBe('already_decided')
  expect(jarvis.controls.effects).toHaveLength(0)
})

test('the yes of somebody who may not approve any more does not count', async () => {
  const { jarvis, people } = await house()
  const { screen, toolUseId } = await asked(jarvis)
  expect(await decide(jarvis, toolUseId, 'per_ann')).toBe('ok')
  people.change('per_ann', { role: 'viewer' })
  expect(await decide(jarvis, toolUseId, 'per_ben')).toBe('ok')
  expect((await rowOf(jarvis, toolUseId))?.approvals?.by).toMatchObject([{ person: 'per_ben' }])
  expect(jarvis.controls.effects).toHaveLength(0)
  expect(await decide(jarvis, toolUseId, 'per_cem')).toBe('ok')
  await screen.next('chat:done')
  expect(jarvis.controls.effects).toHaveLength(1)
})

test('a policy that asks for others voids what was approved', async () => {
  const { jarvis } = await house()
  const { toolUseId } = await asked(jarvis)
  expect(await decide(jarvis, toolUseId, 'per_ann')).toBe('ok')
  const events = await jarvis.connect('/events')
  writeFileSync(join(jarvis.dataDir, 'policy.yaml'), twoOf().replace('count: 2', 'count: 2, by: owner'))
  for (;;) {
    const told = (await events.next('event' as never)) as unknown as { kind: string; text: string }
    // Two owners are too few where one of them may ask.
    if (told.kind === 'policy') {
      expect(told.text).toContain('rule two: It takes 2 people who are owner')
      break
    }
  }
  expect(await decide(jarvis, toolUseId, 'per_cem')).toBe('expired')
  expect(jarvis.controls.effects).toHaveLength(0)
  const { items } = (await (await jarvis.rest('/api/confirmations')).json()) as { items: ConfirmationRow[] }
  expect(items.find(({ decision }) => decision === undefined)?.approvals).toMatchObject({
    needed: 2,
    by: [],
    roles: ['owner'],
    problem: expect.stringContaining('1 person is owner'),
  })
})

test('after a restart between two approvals the first still counts', async () => {
  const first = await house()
  const { toolUseId } = await asked(first.jarvis)
  expect(await decide(first.jarvis, toolUseId, 'per_ann')).toBe('ok')
  await first.jarvis.stop()
  const { jarvis } = await house(twoOf(), first.jarvis.dataDir)
  expect((await rowOf(jarvis, toolUseId))?.approvals?.by).toMatchObject([{ person: 'per_ann' }])
  expect(await decide(jarvis, toolUseId, 'per_ann')).toBe('already_decided')
  expect(await decide(jarvis, toolUseId, 'per_ben')).toBe('ok')
  await expect.poll(() => jarvis.controls.effects.length).toBe(1)
})

test('a yes that stands on the card and not in the journal does not count', async () => {
  const first = await house()
  const { toolUseId } = await asked(first.jarvis)
  await first.jarvis.stop()
  const database = openDatabase(join(first.jarvis.dataDir, 'jarvis.db'))
  const forged = JSON.stringify([{ person: 'per_ann', name: 'ann', at: 1 }])
  database.sql
    .prepare(`UPDATE confirmations SET card = json_set(card, '$.approvals.by', json(?)) WHERE tool_use_id = ?`)
    .run(forged, toolUseId)
  database.close()
  const { jarvis } = await house(twoOf(), first.jarvis.dataDir)
  expect(await decide(jarvis, toolUseId, 'per_ben')).toBe('ok')
  expect((await rowOf(jarvis, toolUseId))?.approvals?.by).toMatchObject([{ person: 'per_ben' }])
  expect(jarvis.controls.effects).toHaveLength(0)
})

test('an owner breaks the glass only where the policy lets them, with the password and a reason that is told for a day', async () => {
  const { jarvis } = await house()
  const { screen, toolUseId } = await asked(jarvis)
  const body = { reason: 'The house is on fire and Ben sleeps.' }
  const breakGlass = async (sub: string, json: object = body): Promise<string> => {
    const response = await fetch(`${jarvis.url}/api/confirmations/${toolUseId}/break-glass`, {
      method: 'POST',
      headers: { ...as(sub).headers, 'content-type': 'application/json' },
      body: JSON.stringify(json),
    })
    return response.ok ? 'ok' : ((await response.json()) as { error: { code: string } }).error.code
  }
  expect(await breakGlass('operator')).toBe('step_up_required')
  const again = await jarvis.rest('/api/auth/step-up', { ...as('operator'), method: 'POST', json: { password } })
  expect(again.status).toBeLessThan(300)
  expect(await breakGlass('operator')).toBe('forbidden')
  const events = await jarvis.connect('/events')
  writeFileSync(join(jarvis.dataDir, 'policy.yaml'), twoOf('breakGlass: true'))
  for (;;) if (((await events.next('event' as never)) as unknown as { kind: string }).kind === 'policy') break
  expect(await breakGlass('operator', { reason: 'now' })).toBe('invalid_request')
  expect(await breakGlass('per_ann')).toBe('step_up_required')
  expect(jarvis.controls.effects).toHaveLength(0)

  expect(await breakGlass('operator')).toBe('ok')
  await screen.next('chat:done')
  expect(jarvis.controls.effects).toHaveLength(1)
  expect(await journalled(jarvis, 'approval')).toMatchObject([{ by: 'operator', breakGlass: body.reason }])
  const { glassBroken } = (await (await jarvis.rest('/api/status')).json()) as Status
  expect(glassBroken).toMatchObject([{ toolUseId, toolName: 'stop_vm', person: 'operator', ...body }])
})

test('a policy that nobody could approve does not pass its check', async () => {
  const { jarvis } = await house()
  const file = join(jarvis.dataDir, 'policy.yaml')
  expect(await cli(jarvis.dataDir, 'policy', 'check', file)).toMatchObject({ code: 0 })
  writeFileSync(join(jarvis.dataDir, 'five.yaml'), twoOf().replace('count: 2', 'count: 5'))
  expect(await cli(jarvis.dataDir, 'policy', 'check', join(jarvis.dataDir, 'five.yaml'))).toMatchObject({
    code: 1,
    output: expect.stringContaining('rule two: It takes 5 people who are operator'),
  })
})

test('roles are listed in plain words, and tried out without running anything', async () => {
  const { jarvis } = await house()
  const { items } = (await (await jarvis.rest('/api/roles')).json()) as { items: RoleInfo[] }
  expect(items.map(({ name, builtIn, people }) => [name, builtIn, people])).toEqual([
    ['owner', true, 2],
    ['operator', true, 2],
    ['viewer', true, 0],
    ['minecraft', false, 1],
  ])
  expect(items.at(-1)).toMatchObject({ sentence: 'May restart ct/130.', scopes: ['May restart ct/130.'] })

  const attempt = async (who: object, toolName: string, toolInput: object) => {
    const response = await jarvis.rest('/api/roles/try', { method: 'POST', json: { ...who, toolName, toolInput } })
    const { verdict, rule } = (await response.json()) as TryRoleReply
    return `${verdict} ${rule}`
  }
  const rows: [object, string, object, string][] = [
    [{ person: 'kid' }, 'restart_container', { vmid: 130 }, 'asks'],
    [{ role: 'minecraft' }, 'stop_container', { vmid: 130 }, 'black not_yours'],
    [{ role: 'minecraft' }, 'stop_vm', { vmid: 103 }, 'black not_yours'],
    [{ role: 'minecraft' }, 'get_cluster_status', {}, 'black not_yours'],
    [{ role: 'minecraft' }, 'get_guest_config', { vmid: 130 }, 'runs base'],
    [{ role: 'minecraft' }, 'get_guest_config', { vmid: 103 }, 'black not_yours'],
    [{ role: 'minecraft' }, 'get_vms', {}, 'runs base'],
    [{ role: 'minecraft' }, 'memory_search', { query: 'passwords' }, 'black not_yours'],
    // The refusal does not tell whether such a guest exists.
    [{ role: 'minecraft' }, 'stop_vm', { vmid: 999 }, 'black not_yours'],
    [{ role: 'minecraft' }, 'restart_container', { vmid: 130, node: 'nowhere' }, 'black not_yours'],
    [{ role: 'viewer' }, 'get_cluster_status', {}, 'runs base'],
    [{ role: 'viewer' }, 'take_snapshot', { vmid: 103, name: 'now' }, 'black not_yours'],
    [{ role: 'operator' }, 'stop_vm', { vmid: 103 }, 'asks'],
    [{ person: 'per_cem' }, 'stop_vm', { vmid: 999 }, 'refused invalid_arguments'],
  ]
  for (const [who, toolName, input, expected] of rows)
    expect([who, toolName, await attempt(who, toolName, input)]).toEqual([
      who,
      toolName,
      expect.stringMatching(`^${expected}`),
    ])
  expect(jarvis.controls.effects).toHaveLength(0)
})

test('a member asks within their scopes and nowhere else, also when the role is lowered while the card waits', async () => {
  const { jarvis, people } = await house()
  const kid = await jarvis.connect('/chat', 'operator', tokenOf('per_kid'))
  for (const line of [
    '/stop_vm vmid=103',
    '/get_cluster_status',
    '/stop_container vmid=130',
    '/memory_search query=key',
  ]) {
    await kid.ask('chat:send', { message: line })
    expect(await kid.next('chat:blocked')).toMatchObject({
      rule: 'not_yours',
      reason: expect.stringContaining('not yours'),
    })
    await kid.next('chat:done')
  }
  await kid.ask('chat:send', { message: '/get_vms' })
  expect(await kid.next('chat:tool_result')).toMatchObject({ isError: false, data: { guests: [], total: 0 } })
  await kid.next('chat:done')

  await kid.ask('chat:send', { message: '/restart_container vmid=130' })
  const card = await kid.next('chat:confirm_needed')
  expect(card.requestedBy).toMatchObject({ kind: 'command', person: 'per_kid' })
  people.change('per_kid', { role: 'viewer' })
  expect(await decide(jarvis, card.toolUseId, 'per_ann')).toBe('expired')
  expect(jarvis.controls.effects).toHaveLength(0)
  people.change('per_kid', { role: 'minecraft' })

  const again = await jarvis.connect('/chat', 'operator', tokenOf('per_kid'))
  await again.ask('chat:send', { message: '/restart_container vmid=130' })
  const { toolUseId } = await again.next('chat:confirm_needed')
  expect(await decide(jarvis, toolUseId, 'per_ann')).toBe('ok')
  await again.next('chat:done')
  expect(jarvis.controls.effects).toHaveLength(1)
})

test('a member sees their guest alone, over REST and the sockets, and no list of what others do', async () => {
  const { jarvis } = await house()
  const kid = as('per_kid')
  const guests = async (who: object) => {
    const { cluster } = {
      cluster: (await (await jarvis.rest('/api/cluster', who)).json()) as { guests: { vmid: number }[] },
    }
    return cluster.guests.map(({ vmid }) => vmid)
  }
  expect(await guests(kid)).toEqual([130])
  expect((await guests({})).length).toBeGreaterThan(10)
  const socket = await jarvis.connect('/cluster', 'operator', tokenOf('per_kid'))
  const { cluster } = (await socket.next('cluster:snapshot' as never)) as unknown as {
    cluster: { guests: { vmid: number }[] }
  }
  expect(cluster.guests.map(({ vmid }) => vmid)).toEqual([130])
  const closed = [
    'journal',
    'changes',
    'plans',
    'events',
    'alerts',
    'jobs',
    'settings',
    'samples',
    'guests/130',
    'tools/calls',
  ]
  const open = ['status', 'sessions', 'confirmations', 'questions', 'grants', 'tools', 'people', 'auth/me']
  for (const path of closed) expect([path, (await jarvis.rest(`/api/${path}`, kid)).status]).toEqual([path, 403])
  for (const path of open) expect([path, (await jarvis.rest(`/api/${path}`, kid)).status]).toEqual([path, 200])
})
