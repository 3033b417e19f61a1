import { expect, test } from 'vitest'
import { calls, says, scripted } from './support/scripted-model.ts'
import { startJarvis, type TestJarvis } from './support/start-jarvis.ts'

/** One call by the model, and the card it brings up. */
async function cardFor(toolName: string, input: Record<string, unknown>, prepare?: (jarvis: TestJarvis) => void) {
  const jarvis = await startJarvis({ model: scripted(calls([toolName, input]), says('So be it.')) })
  prepare?.(jarvis)
  const operator = await jarvis.connect()
  await operator.ask('chat:send', { message: 'Do it.' })
  return { jarvis, operator, card: await operator.next('chat:confirm_needed') }
}

test('the guest that JARVIS runs on is not stopped, whoever asks', async () => {
  const model = scripted(calls(['stop_container', { vmid: 130, force: true }]), says('I may not.'))
  const jarvis = await startJarvis({ model })
  jarvis.controls.setSelf({ node: 'agent1', vmid: 130 })
  const operator = await jarvis.connect()
  await operator.ask('chat:send', { message: 'Stop jarvis.' })
  expect(await operator.next('chat:blocked')).toMatchObject({
    tier: 'black',
    rule: 'own_guest',
    reason: 'JARVIS runs on this guest: it could not finish.',
  })
  await operator.next('chat:done')
  expect(jarvis.controls.effects).toEqual([])
})

test('a guest in a backup is stopped only with its reason on the card', async () => {
  const { card } = await cardFor('stop_container', { vmid: 105 }, ({ controls }) => {
    controls.beginWork(105, 'vzdump')
  })
  expect(card).toMatchObject({
    rule: 'at_work',
    reason: 'Something is at work on 105: a backup of it is running.',
    sentence: 'CT 105 "immich" on pve shuts down cleanly and stays off.',
    now: expect.stringMatching(/^running for 20 d on pve, CPU \d+ %, a backup of it is running, last backup 31 h old$/),
  })
})

test('a guest that HA moves says so, and one at rest under HA asks for the tool’s own reason', async () => {
  const moving = await cardFor('restart_container', { vmid: 113 }, ({ controls }) => {
    controls.setHaState(113, 'migrate')
  })
  expect(moving.card).toMatchObject({
    reason: 'Something is at work on 113: HA is moving it to another node.',
    now: expect.stringContaining('managed by HA (migrate)'),
  })
  const atRest = await cardFor('restart_container', { vmid: 113 })
  expect(atRest.card).toMatchObject({ rule: 'base', now: expect.stringContaining('managed by HA (started)') })
})

test('the last running one of a group says so', async () => {
  const { card } = await cardFor('stop_container', { vmid: 112 }, ({ controls }) => {
    for (const vmid of [112, 120]) controls.tagGuest(vmid, ['group-web'])
    controls.setStatus(120, 'stopped')
  })
  expect(card).toMatchObject({
    rule: 'last_of_group',
    reason: 'It is the last running one of the group web: 120 is stopped.',
    affects: expect.stringMatching(/Nobody is left running of the group web$/),
  })
})

test('the DNS is stopped with a warning and started without one', async () => {
  const stopping = await cardFor('stop_container', { vmid: 110 })
  expect(stopping.card).toMatchObject({
    rule: 'dns_guest',
    reason: '110 "pihole": by its name it is the DNS.',
  })
  const starting = await cardFor('start_container', { vmid: 110 }, ({ controls }) => controls.setStatus(110, 'stopped'))
  expect(starting.card).toMatchObject({ rule: 'base', reason: 'It starts a guest.' })
})

test('corosync at the margin of the quorum says what it would cost', async () => {
  const { card } = await cardFor('restart_service', { node: 'pve', service: 'corosync' }, ({ controls }) => {
    controls.setNodeOffline('agent', true)
  })
  expect(card).toMatchObject({
    rule: 'vital_service',
    reason:
      'Restarting corosync may cost the cluster its quorum. 3 of 4 nodes are online and quorum needs 3: without pve there is none.',
    sentence: 'The service corosync on pve stops and starts again.',
  })
})

test('all that makes a call risky stands on one card, and an ordinary guest has none of it', async () => {
  const risky = await cardFor('stop_vm', { vmid: 103, force: true }, ({ controls }) => {
    controls.beginWork(103, 'vzdump', 'backup')
  })
  expect(risky.card).toMatchObject({
    sentence: 'The power of VM 103 "truenas" on pve is cut and it stays off: what it has not saved is lost.',
    reason: 'force: true is the power plug: what is not saved is lost.',
    reasons: [
      'force: true is the power plug: what is not saved is lost.',
      '103 is locked (backup): a backup of it is running.',
      '103 "truenas": by its name it is the storage.',
    ],
  })
  const { card } = await cardFor('stop_container', { vmid: 124 })
  expect(card).toMatchObject({ rule: 'base', reason: 'It stops a running guest.' })
  expect(card.reasons).toBeUndefined()
})
