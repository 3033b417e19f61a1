import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ConfirmationRow, Job, Page } from 'protocol'
import { expect, test } from 'vitest'
import { jarvisHere as cli } from './support/command-here.ts'
import { family } from './support/family-model.ts'
import { askCurrent } from './support/mcp-current.ts'
import { as, household, householdPolicy, tokenOf } from './support/persons.ts'
import { calls, says, scripted } from './support/scripted-model.ts'
import type { TestJarvis } from './support/start-jarvis.ts'

const guarded = (count: number) =>
  `${householdPolicy}\nrules: [{name: two, tools: [take_snapshot, stop_vm, restart_vm, restart_container, stop_container], tier: red, because: Several people., approve: {count: ${count}}}]\n`
const others = { ann: 'operator', ben: 'operator' }

const cards = async (jarvis: TestJarvis) =>
  ((await (await jarvis.rest('/api/confirmations')).json()) as Page<ConfirmationRow>).items
const decide = async (jarvis: TestJarvis, toolUseId: string, sub: string): Promise<string> => {
  const init = { ...as(sub), method: 'POST', json: { confirmed: true } }
  const response = await jarvis.rest(`/api/confirmations/${toolUseId}`, init)
  return response.ok ? 'ok' : ((await response.json()) as { error: { code: string } }).error.code
}

type House = Awaited<ReturnType<typeof household>>
const snapshot = (vmid: number) => ({ toolName: 'take_snapshot', toolInput: { vmid, name: 'now' } })

/** How Ann asks, at each door, in her own name and in that of what works for her. Each is about another guest, which nothing else changes. */
const doors: Readonly<Record<string, (house: House) => unknown>> = {
  async chat({ jarvis }) {
    const ann = await jarvis.connect('/chat', 'operator', tokenOf('per_ann'))
    await ann.ask('chat:send', { message: '/take_snapshot vmid=101 name=now' })
  },
  'the REST API': ({ jarvis }) => {
    const json = { message: '/take_snapshot vmid=103 name=now' }
    return jarvis.rest('/api/sessions', { ...as('per_ann'), method: 'POST', json })
  },
  'her MCP client': ({ jarvis, program }) =>
    void askCurrent(jarvis, program('per_ann', 'ask', { doors: ['mcp'] }), 'tools/call', {
      name: 'take_snapshot',
      arguments: snapshot(123).toolInput,
    }).catch(() => {}),
  async 'an agent that her chat asks'({ jarvis }) {
    const ann = await jarvis.connect('/chat', 'operator', tokenOf('per_ann'))
    await ann.ask('chat:send', { message: 'Let somebody stop 105.' })
  },
  async 'her job'({ jarvis }) {
    const json = {
      name: 'nightly',
      work: { kind: 'call', toolName: 'restart_container', toolInput: { vmid: 104 } },
      schedule: { kind: 'interval', minutes: 600 },
    }
    const made = await jarvis.rest('/api/jobs', { ...as('per_ann'), method: 'POST', json })
    const job = (await made.json()) as Job
    expect([made.status, job]).toEqual([201, expect.objectContaining({ state: 'active' })])
    const begun = await jarvis.rest(`/api/jobs/${job.id}/run`, { ...as('per_ann'), method: 'POST' })
    expect(begun.status).toBe(202)
  },
  'her program over /v1': ({ jarvis, program }) =>
    void fetch(`${jarvis.url}/v1/chat/completions`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${program('per_ann', 'ask', { doors: ['v1'] })}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ model: 'jarvis', messages: [{ role: 'user', content: 'Take a snapshot of 120.' }] }),
    }).catch(() => {}),
  async 'a plan'({ jarvis }) {
    const ann = await jarvis.connect('/chat', 'operator', tokenOf('per_ann'))
    await ann.ask('chat:send', { message: 'Take a snapshot of 121, and look at it.' })
  },
}

test('whoever asks at whatever door approves nothing of it, and two others do', async () => {
  const steps = [
    { id: 'keep', tool: 'take_snapshot', input: { vmid: 121, name: 'now' } },
    { id: 'look', tool: 'get_containers', input: {}, after: ['keep'] },
  ]
  const model = family(
    [
      calls(['delegate', { agent: 'main', task: 'Stop the container.' }]),
      says('Done.'),
      calls(['take_snapshot', { vmid: 120, name: 'now' }]),
      says('Done.'),
      calls(['propose_plan', { goal: 'Keep 121', steps }]),
      says('Done.'),
    ],
    { container: [calls(['stop_container', { vmid: 105 }]), says('Done.')] },
  )
  const house = await household({ policy: guarded(2), others, model })
  const { jarvis } = house
  const decided = new Set<string>()
  for (const [door, ask] of Object.entries(doors)) {
    const before = jarvis.controls.effects.length
    await ask(house)
    const open = async () => (await cards(jarvis)).filter((row) => row.decision === undefined)
    await expect.poll(async () => [door, (await open()).length]).toEqual([door, 1])
    const [card] = await open()
    const { toolUseId = '', requestedBy, approvals } = card ?? {}
    expect([door, requestedBy?.person, approvals?.needed]).toEqual([door, 'per_ann', 2])
    expect([door, await decide(jarvis, toolUseId, 'per_ann')]).toEqual([door, 'forbidden'])
    expect([door, await decide(jarvis, toolUseId, 'per_ben')]).toEqual([door, 'ok'])
    expect([door, jarvis.controls.effects.length - before]).toEqual([door, 0])
    expect([door, await decide(jarvis, toolUseId, 'per_operator')]).toEqual([door, 'ok'])
    await expect.poll(() => [door, jarvis.controls.effects.length - before]).toEqual([door, 1])
    decided.add(toolUseId)
  }
  expect(decided.size).toBe(Object.keys(doors).length)
})

test('of three who may approve two are enough, and the yes of one who was removed or lowered counts no more', async () => {
  const { jarvis, people } = await household({ policy: guarded(2), others })
  const screen = await jarvis.connect('/chat', 'operator', tokenOf('per_ann'))
  await screen.ask('chat:send', { message: '/restart_vm vmid=103' })
  const { toolUseId } = await screen.next('chat:confirm_needed')
  expect(await decide(jarvis, toolUseId, 'per_ben')).toBe('ok')
  expect((await jarvis.rest('/api/people/per_ben', { method: 'DELETE' })).status).toBe(204)
  expect(await decide(jarvis, toolUseId, 'per_operator')).toBe('ok')
  people.change('per_operator', { role: 'viewer' })
  expect(await decide(jarvis, toolUseId, 'per_owner')).toBe('ok')
  expect(jarvis.controls.effects).toHaveLength(0)
  people.change('per_operator', { role: 'operator' })
  // The yes stands in the journal, and counts again with the role.
  expect(await decide(jarvis, toolUseId, 'per_operator')).toBe('already_decided')
  expect(await decide(jarvis, toolUseId, 'operator')).toBe('ok')
  await screen.next('chat:done')
  expect(jarvis.controls.effects).toHaveLength(1)
})

const stopping = (vmid: number) => `---
name: Nightly
max_age: 1 d
---
It stops a guest.

## 1. Stop it
tool: stop_vm
args: { vmid: ${vmid} }
`

test('whoever edits the runbook of another’s job asks for what it does from then on, and approves nothing of it', async () => {
  const { jarvis } = await household({ policy: guarded(1), others })
  const save = async (sub: string, vmid: number, hash?: string) => {
    const json = { text: stopping(vmid), ...(hash !== undefined && { hash }) }
    const saved = await jarvis.rest('/api/runbooks/nightly', { ...as(sub), method: 'PUT', json })
    return ((await saved.json()) as { hash: string }).hash
  }
  const first = await save('per_ben', 101)
  const work = { kind: 'runbook', name: 'nightly', inputs: {} }
  const json = { name: 'nightly', work, schedule: { kind: 'interval', minutes: 600 } }
  const made = await jarvis.rest('/api/jobs', { ...as('per_ben'), method: 'POST', json })
  const { id } = (await made.json()) as Job
  const waiting = async () => (await cards(jarvis)).filter(({ decision }) => decision === undefined)
  const begin = async () => {
    expect((await jarvis.rest(`/api/jobs/${id}/run`, { ...as('per_ann'), method: 'POST' })).status).toBe(202)
    await expect.poll(async () => (await waiting()).length).toBe(1)
    return (await waiting())[0]
  }
  const before = await begin()
  expect(before?.requestedBy.person).toBe('per_ben')
  await save('per_ann', 103, first)
  // Its card is not redrawn with what Ann wrote, as if Ben had asked for that.
  expect(await waiting()).toEqual([])
  expect(await decide(jarvis, before?.toolUseId ?? '', 'per_ann')).toBe('already_decided')
  expect(jarvis.controls.effects).toEqual([])

  const after = await begin()
  expect(after?.requestedBy.person).toBe('per_ann')
  expect(await decide(jarvis, after?.toolUseId ?? '', 'per_ann')).toBe('forbidden')
  expect(jarvis.controls.effects).toEqual([])
  expect(await decide(jarvis, after?.toolUseId ?? '', 'per_ben')).toBe('ok')
  await expect.poll(() => jarvis.controls.effects.length).toBe(1)
})

test('whoever wrote the text that a call follows, or started or moved its job, approves nothing of it', async () => {
  const model = scripted(calls(['stop_container', { vmid: 105 }]), says('Done.'))
  const { jarvis } = await household({ policy: guarded(1), others, model })
  const waiting = async () => (await cards(jarvis)).filter(({ decision }) => decision === undefined)
  const next = async () => {
    await expect.poll(async () => (await waiting()).length).toBe(1)
    const [card] = await waiting()
    if (card === undefined) throw new Error('no card waits')
    return card
  }
  const put = (path: string, text: string, checksum?: string) =>
    jarvis.rest(`/api/${path}`, { ...as('per_ann'), method: 'PUT', json: { text, ...(checksum && { checksum }) } })
  const checksumOf = async (response: Response) => ((await response.json()) as { checksum: string }).checksum
  /** Ann cannot approve it, and Ben can. */
  async function isAnns(door: string, asker: string | undefined) {
    const { toolUseId, requestedBy } = await next()
    expect([door, requestedBy.person, requestedBy.causedBy]).toEqual([door, asker, ['per_ann']])
    expect([door, await decide(jarvis, toolUseId, 'per_ann')]).toEqual([door, 'forbidden'])
    const before = jarvis.controls.effects.length
    expect([door, await decide(jarvis, toolUseId, 'per_ben')]).toEqual([door, 'ok'])
    await expect.poll(() => [door, jarvis.controls.effects.length - before]).toEqual([door, 1])
  }
  const screen = await jarvis.connect()
  const run = () => screen.ask('chat:send', { message: '/run_runbook name="nightly"' })

  // The first owner runs what Ann wrote, by whichever door.
  const first = await put('memory/files/runbooks/nightly.md', stopping(101))
  expect(first.status).toBe(200)
  await run()
  await isAnns('the memory’s door', undefined)
  const second = await put('agents/main/files/runbooks/nightly.md', stopping(103), await checksumOf(first))
  expect(second.status).toBe(200)
  await run()
  const { toolUseId } = await next()
  // A change that Ann makes while the owner's card waits is not redrawn in the owner's name, also if the file is changed on disk.
  const third = await put('memory/files/runbooks/nightly.md', stopping(123), await checksumOf(second))
  expect(third.status).toBe(200)
  expect([await waiting(), await decide(jarvis, toolUseId, 'per_ann')]).toEqual([[], 'already_decided'])
  await run()
  const shown = await next()
  writeFileSync(join(jarvis.dataDir, 'workspace/runbooks/nightly.md'), stopping(103))
  expect(await decide(jarvis, shown.toolUseId, 'per_ben')).toBe('expired')
  expect(await waiting()).toEqual([])
  const journal = JSON.stringify(await (await jarvis.rest('/api/journal?kind=runbook&limit=50')).json())
  expect(journal.match(/"change":"saved","runbook":"nightly"[^}]*"by":"per_ann"/g)).toHaveLength(3)
  for (const path of ['Runbooks/nightly.md', 'runbooks/Nightly.md', 'runbooks/nightly.md.txt'])
    expect([path, (await put(`memory/files/${path}`, stopping(101))).status]).toEqual([path, 400])
  expect((await put('memory/files/runbooks/other.md', 'no runbook')).status).toBe(400)

  // Files that come with JARVIS ask in the first owner's name.
  expect((await put('memory/files/HEARTBEAT.md', 'Stop the container.')).status).toBe(200)
  await jarvis.rest('/api/heartbeat/run', { ...as('per_ben'), method: 'POST' })
  const { toolUseId: beat, requestedBy } = await next()
  expect(requestedBy.causedBy?.toSorted()).toEqual(['per_ann', 'per_ben'])
  for (const sub of ['per_ann', 'per_ben']) expect(await decide(jarvis, beat, sub)).toBe('forbidden')
  expect(await decide(jarvis, beat, 'per_owner')).toBe('ok')
  await expect.poll(() => jarvis.controls.effects.length).toBe(2)

  const work = { kind: 'call', toolName: 'restart_container', toolInput: { vmid: 104 } }
  const json = { name: 'restart', work, schedule: { kind: 'interval', minutes: 600 } }
  const made = (await (await jarvis.rest('/api/jobs', { ...as('per_owner'), method: 'POST', json })).json()) as Job
  await jarvis.rest(`/api/jobs/${made.id}`, {
    ...as('per_ann'),
    method: 'PATCH',
    json: { schedule: { kind: 'interval', minutes: 5 } },
  })
  await jarvis.rest(`/api/jobs/${made.id}/run`, { ...as('per_owner'), method: 'POST' })
  await isAnns('a moved job', 'per_owner')
})

test('a text that was changed on disk takes one person more, who may not have written it, until somebody saves it here', async () => {
  const model = scripted(calls(['stop_container', { vmid: 105 }]), says('Done.'))
  const { jarvis } = await household({ policy: guarded(1), others, model })
  const file = (path: string) => join(jarvis.dataDir, 'workspace', path)
  const next = async () => {
    const open = async () => (await cards(jarvis)).filter(({ decision }) => decision === undefined)
    await expect.poll(async () => (await open()).length).toBe(1)
    return (await open())[0] as ConfirmationRow
  }
  const screen = await jarvis.connect()
  const run = () => screen.ask('chat:send', { message: '/run_runbook name="nightly"' })

  writeFileSync(file('runbooks/nightly.md'), stopping(101))
  await run()
  const card = await next()
  expect([card.requestedBy.causedBy, card.approvals]).toEqual([
    ['unknown'],
    expect.objectContaining({ needed: 2, oneMore: expect.stringContaining('changed outside of JARVIS') }),
  ])
  // Ann wrote it, which nobody knows: her yes alone runs nothing.
  expect(await decide(jarvis, card.toolUseId, 'per_ann')).toBe('ok')
  expect(jarvis.controls.effects).toEqual([])
  expect(await decide(jarvis, card.toolUseId, 'per_ben')).toBe('ok')
  await expect.poll(() => jarvis.controls.effects.length).toBe(1)

  const { hash } = (await (await jarvis.rest('/api/runbooks/nightly')).json()) as { hash: string }
  const json = { text: stopping(103), hash }
  expect((await jarvis.rest('/api/runbooks/nightly', { ...as('per_ben'), method: 'PUT', json })).status).toBe(200)
  await run()
  const known = await next()
  expect([known.requestedBy.causedBy, known.approvals?.needed]).toEqual([['per_ben'], 1])
  expect(await decide(jarvis, known.toolUseId, 'per_ann')).toBe('ok')
  await expect.poll(() => jarvis.controls.effects.length).toBe(2)

  writeFileSync(file('HEARTBEAT.md'), 'Stop the container.')
  await jarvis.rest('/api/heartbeat/run', { ...as('per_ben'), method: 'POST' })
  const beat = await next()
  expect([beat.requestedBy.causedBy?.toSorted(), beat.approvals?.needed]).toEqual([['per_ben', 'unknown'], 2])
})

test('a runbook as JARVIS ships it has no unknown author, and one that was edited on disk has', async () => {
  const { jarvis } = await household({ policy: guarded(1), others })
  const screen = await jarvis.connect()
  const asked = async () => {
    await screen.ask('chat:send', { message: '/run_runbook name="guest-unresponsive" inputs={"vmid":101}' })
    const { toolUseId } = await screen.next('chat:confirm_needed')
    const { requestedBy, approvals } = (await cards(jarvis)).find((card) => card.toolUseId === toolUseId) ?? {}
    await jarvis.rest(`/api/confirmations/${toolUseId}`, { method: 'POST', json: { confirmed: false } })
    await screen.next('chat:done')
    return [requestedBy?.causedBy, approvals?.needed]
  }
  expect(await asked()).toEqual([undefined, 1])
  const file = join(jarvis.dataDir, 'workspace/runbooks/guest-unresponsive.md')
  writeFileSync(file, readFileSync(file, 'utf8').replace('within: 3 min', 'within: 4 min'))
  expect(await asked()).toEqual([['unknown'], 2])
})

test('the doctor warns of a rule that the people of the data dir could never meet, also offline', async () => {
  const { jarvis } = await household({ policy: guarded(5) })
  await jarvis.stop()
  const { output } = await cli(jarvis.dataDir, 'doctor', '--no-model')
  expect(output).toContain('rule two: It takes 5 people who are operator')
})
