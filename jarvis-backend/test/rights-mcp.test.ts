import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { ConfirmationRow, Page, SessionSummary, TryRoleReply } from 'protocol'
import { expect, test } from 'vitest'
import { everyCall, looks, narrowed, own } from './rights/tools.ts'
import { connectMcp } from './support/mcp-client.ts'
import { askCurrent, currentRequest } from './support/mcp-current.ts'
import { as, household, householdPolicy, membersRole } from './support/persons.ts'

const src = resolve(import.meta.dirname, '../src')

test('every tool is judged by the role of whoever asks', async () => {
  // The tools of the web are offered where a search address is set; nothing is asked of it here.
  const { jarvis } = await household({ env: { JARVIS_SEARCH_URL: 'http://127.0.0.1:9' } })
  const { items } = (await (await jarvis.rest('/api/tools')).json()) as { items: { name: string }[] }
  // Tools that the policy has to name are judged too: the role is looked at besides.
  expect(everyCall.map(([name]) => name).toSorted()).toEqual(items.map(({ name }) => name).toSorted())
  const verdictOf = async (role: string, toolName: string, toolInput: object) => {
    const json = { role, toolName, toolInput }
    const reply = (await (await jarvis.rest('/api/roles/try', { method: 'POST', json })).json()) as TryRoleReply
    return reply.rule === 'not_yours' ? 'not_yours' : reply.verdict
  }
  const open: Record<string, string[]> = { viewer: [], [membersRole]: [], operator: [], owner: [] }
  for (const role of Object.keys(open)) {
    const verdicts = await Promise.all(
      everyCall.map(async ([name, input]) => ({ name, verdict: await verdictOf(role, name, input) })),
    )
    const isBounded = role === 'viewer' || role === membersRole
    // A call refused as a mistake says nothing about the rights of those who may call every tool.
    open[role] = verdicts.flatMap(({ name, verdict }) =>
      (isBounded ? verdict === 'runs' || verdict === 'asks' : verdict !== 'not_yours') ? [name] : [],
    )
    if (isBounded) expect([role, verdicts.filter(({ verdict }) => verdict === 'asks')]).toEqual([role, []])
  }
  const all = everyCall.map(([name]) => name)
  expect({
    viewer: open.viewer?.toSorted(),
    member: open[membersRole]?.toSorted(),
    operator: open.operator,
    owner: open.owner,
  }).toEqual({ viewer: looks.toSorted(), member: narrowed.toSorted(), operator: all, owner: all })
  for (const [name, input, verdict] of own)
    expect([name, (await verdictOf(membersRole, name, input)).replace('not_yours', 'black')]).toEqual([name, verdict])
})

/** Principals that get an answer to each method. `whole`: those who see the whole cluster; others are refused. */
const methods: Readonly<Record<string, { params?: object; who: 'all' | 'whole' }>> = {
  'tools/list': { who: 'all' },
  'tools/call': { params: { name: 'get_vms', arguments: {} }, who: 'all' },
  'resources/list': { who: 'all' },
  'resources/templates/list': { who: 'all' },
  'resources/read': { params: { uri: 'jarvis://cluster' }, who: 'all' },
  'prompts/list': { who: 'all' },
  'prompts/get': { params: { name: 'health_check' }, who: 'all' },
  'completion/complete': {
    params: { ref: { type: 'ref/resource', uri: 'jarvis://guests/{vmid}' }, argument: { name: 'vmid', value: '' } },
    who: 'all',
  },
  'subscriptions/listen': { params: { notifications: { toolsListChanged: true } }, who: 'whole' },
}
/** Methods of older clients' sessions, and of tasks. Their ids are looked up among the token's own. */
const ofSessions = ['resources/subscribe', 'resources/unsubscribe']
const ofTasks = ['tasks/get', 'tasks/list', 'tasks/result', 'tasks/cancel', 'tasks/update']

test('every method of MCP answers by the person of the token, and a member hears of their own guest alone', async () => {
  const source = ['create-server', 'task-handlers'].map((file) =>
    readFileSync(join(src, `mcp/server/${file}.ts`), 'utf8'),
  )
  const served = new Set(
    source.flatMap((text) => [...text.matchAll(/^ +'(\w+\/[\w/]+)': \(\)/gm)].map(([, name]) => name)),
  )
  expect([...served, 'subscriptions/listen'].toSorted()).toEqual(
    [...Object.keys(methods), ...ofSessions, ...ofTasks].toSorted(),
  )

  const { jarvis, program, people } = await household()
  const { guests } = jarvis.homelab.cluster.state()
  const foreign = guests.flatMap(({ vmid, name }) => (vmid === 130 || name.length < 5 ? [] : [name]))
  // Shorter names are words of tools too.
  const told = (text: string) => foreign.filter((name) => text.includes(name))
  const tokens = Object.fromEntries(
    (['viewer', 'member', 'operator', 'owner'] as const).map((one) => [
      one,
      program(`per_${one}`, 'ask', { doors: ['mcp'] }),
    ]),
  )
  const status = async (token: string, method: string, params = {}) => {
    const response = await fetch(`${jarvis.url}/mcp`, currentRequest(token, method, params))
    await response.body?.cancel()
    return response.status
  }
  for (const [one, token] of Object.entries(tokens)) {
    for (const [method, { params, who }] of Object.entries(methods)) {
      if (who === 'whole') {
        expect([one, method, await status(token, method, params)]).toEqual([one, method, one === 'member' ? 403 : 200])
        continue
      }
      const { result, error } = await askCurrent(jarvis, token, method, { ...params })
      expect([one, method, error]).toEqual([one, method, undefined])
      if (one === 'member') expect([method, told(JSON.stringify(result))]).toEqual([method, []])
    }
  }
  const ask = (token: string | undefined, method: string, params = {}) =>
    askCurrent(jarvis, token ?? '', method, params)
  const uris = async (token: string | undefined) => {
    const { resources } = (await ask(token, 'resources/list')).result as { resources: { uri: string }[] }
    return resources.map(({ uri }) => uri)
  }
  const seen = await uris(tokens.member)
  expect(seen).toEqual(expect.arrayContaining(['jarvis://cluster', 'jarvis://guests/130']))
  expect(seen.filter((uri) => /guests|journal/.test(uri))).toEqual(['jarvis://guests/130'])
  expect((await uris(tokens.viewer)).length).toBeGreaterThan(20)
  for (const uri of ['jarvis://guests/103', 'jarvis://journal/recent'])
    expect([uri, (await ask(tokens.member, 'resources/read', { uri })).result]).toEqual([uri, undefined])
  const slow = { name: 'why_is_guest_slow', arguments: { vmid: '103' } }
  expect((await ask(tokens.member, 'prompts/get', slow)).error).toBeDefined()
  expect((await ask(tokens.viewer, 'prompts/get', slow)).result).toBeDefined()

  // An older client subscribes to what it may read, and is told of nothing else once its person's role is lower.
  const older = await connectMcp(jarvis, tokens.member ?? '')
  await older.subscribeResource({ uri: 'jarvis://guests/130' })
  await expect(older.subscribeResource({ uri: 'jarvis://guests/103' })).rejects.toThrow('103')

  // A call of a tool that a viewer or a member may not use has no effect.
  const denied = everyCall.filter(([name]) => !looks.includes(name))
  const results = await Promise.all(
    denied.flatMap(([name, input]) =>
      [tokens.viewer, tokens.member].map(async (token) => {
        const { result } = await ask(token, 'tools/call', { name, arguments: input })
        return [name, result?.isError]
      }),
    ),
  )
  expect(results.filter(([, isError]) => isError !== true)).toEqual([])
  expect(jarvis.controls.effects).toHaveLength(0)
  people.remove('per_member', 5)
  await expect(uris(tokens.member)).rejects.toThrow()
})

test('a token that takes the name of another person’s revoked one has a session of its own, with its cards', async () => {
  const { jarvis, program, revoke } = await household({
    policy: `${householdPolicy}  media: [{may: restart, on: ct/104}]\n`,
    others: { bea: 'media' },
  })
  const sessionsOf = async (sub: string) =>
    ((await (await jarvis.rest('/api/sessions?source=mcp', as(sub))).json()) as Page<SessionSummary>).items
  const cardsOf = async (sub: string) =>
    ((await (await jarvis.rest('/api/confirmations', as(sub))).json()) as Page<ConfirmationRow>).items
  const pending = { headers: { 'jarvis-confirmation': 'pending' } }
  const restart = (token: string, vmid: number) =>
    askCurrent(jarvis, token, 'tools/call', { name: 'restart_container', arguments: { vmid } }, pending)
  const first = await restart(program('per_member', 'ask', { doors: ['mcp'], name: 'claude' }), 130)
  revoke('claude')
  const token = program('per_bea', 'ask', { doors: ['mcp'], name: 'claude' })
  await askCurrent(jarvis, token, 'tools/call', { name: 'get_containers', arguments: {} })
  expect(await restart(token, 104)).toMatchObject({ result: { structuredContent: { state: 'waiting' } } })

  const [mine] = await sessionsOf('per_member')
  const entries = await jarvis.rest(`/api/sessions/${mine?.id}/entries`, as('per_member'))
  expect(await entries.text()).not.toContain('104')
  const [hers] = await sessionsOf('per_bea')
  const read = await jarvis.rest(`/api/sessions/${hers?.id}/entries`, as('per_bea'))
  expect(await read.text()).toContain('104 jellyfin')
  expect((await cardsOf('per_bea')).map(({ target }) => target.id)).toEqual(['ct/104'])
  expect((await cardsOf('per_member')).map(({ target }) => target.id)).toEqual(['ct/130'])

  // A later token of the same name is not told what became of the earlier one's call, even where one person made both.
  revoke('claude')
  const again = program('per_member', 'ask', { doors: ['mcp'], name: 'claude' })
  const id = (first.result?.structuredContent as { id: string } | undefined)?.id
  expect(id).toBeDefined()
  for (const one of [token, again])
    expect(
      JSON.stringify(await askCurrent(jarvis, one, 'tools/call', { name: 'get_confirmation', arguments: { id } })),
    ).not.toContain('restart_container')
})
