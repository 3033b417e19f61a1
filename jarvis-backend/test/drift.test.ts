import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from 'node-kit/clock'
import { beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { failingRows } from './support/failing-rows.ts'
import { calls, type ScriptedModel, says, scripted } from './support/scripted-model.ts'
import { createSimulator } from './support/simulator.ts'
import { startJarvis, type TestJarvis } from './support/start-jarvis.ts'
import { useJarvis } from './support/use-jarvis.ts'

const stopping = () => [calls(['stop_vm', { vmid: 103 }]), says('So be it.')]
const jarvis = useJarvis()
let name = ''
beforeAll(() => {
  name = jarvis.guest(103)?.name ?? ''
})
function restore() {
  const { controls } = jarvis
  controls.migrateGuest(103, 'pve')
  controls.setStatus(103, 'running')
  controls.lockGuest(103, undefined)
  controls.renameGuest(103, name)
}
beforeEach(restore)

async function asked(jarvis: TestJarvis, message = 'Stop 103.') {
  const operator = await jarvis.connect()
  const { sessionId } = await operator.ask('chat:send', { message })
  return { operator, sessionId, card: await operator.next('chat:confirm_needed') }
}
const results = (model: ScriptedModel) => {
  const answer = model.requests[1]?.messages.at(-1)
  return answer?.role === 'user' ? answer.results : []
}

const drifts: [how: string, change: () => void, changed: string][] = [
  ['moved', () => jarvis.controls.migrateGuest(103, 'agent'), 'It is on agent now, not on pve.'],
  ['was stopped', () => jarvis.controls.setStatus(103, 'stopped'), 'It is stopped now, not running.'],
  ['was locked', () => jarvis.controls.lockGuest(103, 'backup'), 'It is locked now (backup).'],
  ['has another name', () => jarvis.controls.renameGuest(103, 'nas'), 'Its name is "nas" now'],
]
test('a guest that is another since the card was shown gets a new card that says so', async () => {
  const judge = async ([, change, changed]: (typeof drifts)[number]) => {
    restore()
    const model = jarvis.plays(...stopping())
    const changes = jarvis.changesFromNow()
    const { operator, sessionId, card } = await asked(jarvis)
    change()
    const reply = await operator.request('chat:confirm', { sessionId, toolUseId: card.toolUseId, confirmed: true })
    expect(reply).toMatchObject({ ok: false, error: { code: 'expired', message: expect.stringContaining(changed) } })
    const resolved = await operator.next('chat:confirm_resolved')
    const next = await operator.next('chat:confirm_needed')
    expect(resolved).toMatchObject({ decision: 'cancelled', by: 'jarvis', replacedBy: next.toolUseId })
    expect(next).toMatchObject({ callId: card.toolUseId, changed: expect.stringContaining(changed) })
    expect(next.toolUseId).not.toBe(card.toolUseId)
    expect(changes()).toEqual([])

    // A late click on the old card approves nothing, however often.
    const late = await operator.request('chat:confirm', { sessionId, toolUseId: card.toolUseId, confirmed: true })
    expect(late).toMatchObject({ ok: false, error: { code: 'expired' } })
    const { snapshot } = await operator.ask('chat:attach', { sessionId })
    expect(snapshot.pending.map(({ toolUseId }) => toolUseId)).toEqual([next.toolUseId])

    await operator.ask('chat:confirm', { sessionId, toolUseId: next.toolUseId, confirmed: true })
    const result = await operator.next('chat:tool_result')
    expect(result.toolUseId).toBe(card.toolUseId)
    await operator.next('chat:done')
    expect(changes()).toHaveLength(1)
    expect(results(model)).toMatchObject([{ toolUseId: card.toolUseId, text: result.result }])
  }
  expect(await failingRows(drifts, judge)).toEqual([])
})

test('a denied new card settles the call, and the model is told once', async () => {
  const changes = jarvis.changesFromNow()
  const model = jarvis.plays(...stopping())
  const { operator, sessionId, card } = await asked(jarvis)
  jarvis.controls.migrateGuest(103, 'agent')
  await operator.request('chat:confirm', { sessionId, toolUseId: card.toolUseId, confirmed: true })
  const { toolUseId } = await operator.next('chat:confirm_needed')
  await operator.ask('chat:confirm', { sessionId, toolUseId, confirmed: false, note: 'not there' })
  await operator.next('chat:done')
  expect(results(model)).toMatchObject([{ toolUseId: card.toolUseId, text: expect.stringContaining('not there') }])
  expect(changes()).toEqual([])
})

test('of many approvals of a card that has drifted, none runs, and one new card is shown', async () => {
  const changes = jarvis.changesFromNow()
  jarvis.plays(...stopping())
  const { operator, sessionId, card } = await asked(jarvis)
  const screens = await Promise.all(Array.from({ length: 5 }, () => jarvis.connect()))
  jarvis.controls.migrateGuest(103, 'agent')
  const replies = await Promise.all(
    Array.from({ length: 50 }, (_, index) =>
      (screens[index % 5] ?? operator).request('chat:confirm', {
        sessionId,
        toolUseId: card.toolUseId,
        confirmed: true,
      }),
    ),
  )
  expect(replies.flatMap((reply) => (reply.ok ? ['ok'] : [reply.error.code]))).toEqual(Array(50).fill('expired'))
  const { snapshot } = await operator.ask('chat:attach', { sessionId })
  expect(snapshot.pending).toHaveLength(1)
  expect(changes()).toEqual([])
})

test('a card replaced before a restart waits after it, and runs once under the call’s own id', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'jarvis-drift-'))
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }))
  const lab = createSimulator({ clock: systemClock, protectedTargets: new Set(), speed: 1_000 })
  const homelab = { ...lab, cluster: { ...lab.cluster, close: () => {} } }
  const before = await startJarvis({ dataDir, homelab, model: scripted(calls(['stop_vm', { vmid: 103 }])) })
  const { operator, sessionId, card } = await asked(before)
  before.controls.migrateGuest(103, 'agent')
  await operator.request('chat:confirm', { sessionId, toolUseId: card.toolUseId, confirmed: true })
  const next = await operator.next('chat:confirm_needed')
  await before.stop()

  const model = scripted(says('Stopped.'))
  const after = await startJarvis({ dataDir, homelab, model })
  const second = await after.connect()
  const { snapshot } = await second.ask('chat:attach', { sessionId })
  expect(snapshot.pending).toMatchObject([{ toolUseId: next.toolUseId, callId: card.toolUseId }])
  const late = await second.request('chat:confirm', { sessionId, toolUseId: card.toolUseId, confirmed: true })
  expect(late).toMatchObject({ ok: false, error: { code: 'expired' } })
  // And it may drift again.
  after.controls.migrateGuest(103, 'pve')
  const again = await second.request('chat:confirm', { sessionId, toolUseId: next.toolUseId, confirmed: true })
  expect(again).toMatchObject({ ok: false, error: { code: 'expired' } })
  const third = await second.next('chat:confirm_needed')
  expect(third).toMatchObject({ callId: card.toolUseId, changed: 'It is on pve now, not on agent.' })
  await second.ask('chat:confirm', { sessionId, toolUseId: third.toolUseId, confirmed: true })
  expect(await second.next('chat:tool_result')).toMatchObject({ toolUseId: card.toolUseId, isError: false })
  await second.next('chat:done')
  expect(lab.controls.effects).toHaveLength(1)
  const answer = model.requests[0]?.messages.at(-1)
  expect(answer?.role === 'user' && answer.results.map(({ toolUseId }) => toolUseId)).toEqual([card.toolUseId])
})

test('a call that cannot be run any more fails when it is approved, and its card is gone', async () => {
  const clock = systemClock
  const lab = createSimulator({ clock, protectedTargets: new Set(), speed: 1_000 })
  let isGone = false
  const state = () => {
    const known = lab.cluster.state()
    return isGone ? { ...known, guests: known.guests.filter(({ vmid }) => vmid !== 103) } : known
  }
  const model = scripted(...stopping())
  const jarvis = await startJarvis({ model, homelab: { ...lab, cluster: { ...lab.cluster, state } } })
  const { operator, sessionId, card } = await asked(jarvis)
  isGone = true
  const reply = await operator.request('chat:confirm', { sessionId, toolUseId: card.toolUseId, confirmed: true })
  expect(reply).toMatchObject({ ok: false, error: { code: 'expired' } })
  expect(await operator.next('chat:confirm_resolved')).toMatchObject({
    decision: 'cancelled',
    replacedBy: card.toolUseId,
  })
  expect(await operator.next('chat:tool_result')).toMatchObject({ toolUseId: card.toolUseId, isError: true })
  await operator.next('chat:done')
  expect(results(model)).toMatchObject([{ isError: true, text: expect.stringContaining('no guest 103') }])
  const { snapshot } = await operator.ask('chat:attach', { sessionId })
  expect(snapshot.pending).toEqual([])
})

test('the expected change by an earlier call of an answer is no drift for the next one', async () => {
  jarvis.plays(calls(['stop_vm', { vmid: 103 }], ['start_vm', { vmid: 103 }]), says('Cycled.'))
  const { operator, sessionId, card: stop } = await asked(jarvis, 'Cycle 103.')
  const start = await operator.next('chat:confirm_needed')
  expect(start.isAfterAnother).toBe(true)
  await operator.ask('chat:confirm', { sessionId, toolUseId: stop.toolUseId, confirmed: true })
  await operator.next('chat:tool_result')
  expect(jarvis.guest(103)?.status).toBe('stopped')
  await operator.ask('chat:confirm', { sessionId, toolUseId: start.toolUseId, confirmed: true })
  await operator.next('chat:done')
  expect(jarvis.guest(103)?.status).toBe('running')
})

test('a call approved for its turn gets a new card where the guest has moved by then', async () => {
  const changes = jarvis.changesFromNow()
  jarvis.plays(calls(['stop_vm', { vmid: 103 }], ['start_vm', { vmid: 103 }]), says('Cycled.'))
  const { operator, sessionId, card: stop } = await asked(jarvis, 'Cycle 103.')
  const start = await operator.next('chat:confirm_needed')
  await operator.ask('chat:confirm', { sessionId, toolUseId: start.toolUseId, confirmed: true })
  jarvis.controls.migrateGuest(103, 'agent')
  await operator.ask('chat:confirm', { sessionId, toolUseId: stop.toolUseId, confirmed: false })
  const anew = await operator.next('chat:confirm_needed')
  expect(anew).toMatchObject({ callId: start.toolUseId, changed: 'It is on agent now, not on pve.' })
  expect(changes()).toEqual([])
  await operator.ask('chat:confirm', { sessionId, toolUseId: anew.toolUseId, confirmed: true })
  expect(await operator.next('chat:tool_result')).toMatchObject({ toolUseId: start.toolUseId })
  await operator.next('chat:done')
  expect(changes()).toHaveLength(1)
})

const setProfile = (jarvis: TestJarvis, profile: string) =>
  jarvis.rest('/api/settings', { method: 'PUT', json: { profile } })

test('a call that the rules refuse by now is refused when it is approved', async () => {
  const changes = jarvis.changesFromNow()
  const model = jarvis.plays(...stopping())
  const { operator, sessionId, card } = await asked(jarvis)
  onTestFinished(() => setProfile(jarvis, 'balanced').then(() => {}))
  await setProfile(jarvis, 'lockdown')
  const reply = await operator.request('chat:confirm', { sessionId, toolUseId: card.toolUseId, confirmed: true })
  expect(reply).toMatchObject({ ok: false, error: { code: 'expired', message: expect.stringContaining('lockdown') } })
  expect(await operator.next('chat:confirm_resolved')).toMatchObject({ decision: 'cancelled', by: 'jarvis' })
  expect(await operator.next('chat:blocked')).toMatchObject({ toolUseId: card.toolUseId, tier: 'black' })
  await operator.next('chat:done')
  expect(results(model)).toMatchObject([
    { isError: true, text: expect.stringContaining('Refused by the safety rules') },
  ])
  expect(changes()).toEqual([])
})

test('a card that was refused while the server was down is gone when it is back, and the model hears why', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'jarvis-drift-'))
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }))
  const before = await startJarvis({ dataDir, model: scripted(calls(['stop_vm', { vmid: 103 }])) })
  const { sessionId, card } = await asked(before)
  await before.stop()
  const env = { JARVIS_PROTECTED: 'vm/103' }
  const model = scripted(says('So be it.'))
  const after = await startJarvis({ dataDir, env, model })
  const second = await after.connect()
  const { snapshot } = await second.ask('chat:attach', { sessionId })
  if (snapshot.runId !== undefined) await second.next('chat:done')
  const { entries, pending } = (await second.ask('chat:attach', { sessionId })).snapshot
  expect(pending).toEqual([])
  expect(entries.filter(({ type }) => type === 'blocked')).toMatchObject([{ toolUseId: card.toolUseId }])
  expect(JSON.stringify(model.requests)).toContain('vm/103 is protected')
  expect(after.controls.effects).toEqual([])
})

test('an approved call that needs no person any more runs under its new tier; an unapproved one does not', async () => {
  const changes = jarvis.changesFromNow()
  jarvis.plays(...stopping())
  const { operator, sessionId, card } = await asked(jarvis)
  onTestFinished(() => setProfile(jarvis, 'balanced').then(() => {}))
  await setProfile(jarvis, 'unrestricted')
  expect((await operator.ask('chat:attach', { sessionId })).snapshot.pending).toHaveLength(1)
  expect(changes()).toEqual([])
  await operator.ask('chat:confirm', { sessionId, toolUseId: card.toolUseId, confirmed: true })
  expect(await operator.next('chat:tool_use')).toMatchObject({ toolUseId: card.toolUseId, tier: 'yellow' })
  await operator.next('chat:done')
  expect(changes()).toHaveLength(1)
})

test('a rule that asks for another reason by now is shown', async () => {
  jarvis.plays(...stopping())
  const { operator, sessionId, card } = await asked(jarvis)
  jarvis.controls.lockGuest(103, 'backup')
  await operator.request('chat:confirm', { sessionId, toolUseId: card.toolUseId, confirmed: true })
  const next = await operator.next('chat:confirm_needed')
  expect(next.rule).not.toBe(card.rule)
  expect(next.changed).toContain('It asks for another reason now')
})
