import { createECDH, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { JournalEntry, PushButtons, PushDevice, PushMessage } from 'protocol'
import { expect, test } from 'vitest'
import type { PushSender } from '../src/channels/web-push/ports.ts'
import { calls, says, scripted } from './support/scripted-model.ts'
import { startJarvis } from './support/start-jarvis.ts'

/** A browser whose worker signs with a key of its own. */
function browser(name: string) {
  const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' }) as { publicKey: KeyObject; privateKey: KeyObject }
  const keys = {
    p256dh: createECDH('prime256v1').generateKeys('base64url'),
    auth: randomBytes(16).toString('base64url'),
  }
  const key = pair.publicKey.export({ type: 'spki', format: 'der' }).toString('base64url')
  return {
    endpoint: `https://push.example.org/${name}`,
    body: { endpoint: `https://push.example.org/${name}`, keys, label: name, key },
    press(buttons: PushButtons, decision: 'approved' | 'denied', lie: Partial<{ text: string }> = {}) {
      const { device, challenge, before, after } = buttons
      const text = lie.text ?? `jarvis-device-v1\0${before}"${decision}"${after}`
      const signature = sign('sha256', Buffer.from(text), { key: pair.privateKey, dsaEncoding: 'ieee-p1363' })
      return { device, challenge, decision, signature: signature.toString('base64url') }
    },
  }
}

async function start(policy = '') {
  const sent: { to: string; message: PushMessage }[] = []
  const push: PushSender = {
    publicKey: 'key',
    async send({ endpoint }, { payload }) {
      sent.push({ to: endpoint, message: JSON.parse(payload) as PushMessage })
      return { kind: 'sent' }
    },
  }
  const once = [calls(['restart_vm', { vmid: 101 }]), says('Well.')]
  const model = scripted(...once, ...once, ...once)
  const jarvis = await startJarvis({ model, push, env: { JARVIS_EMBEDDINGS: 'none' } })
  if (policy !== '') writeFileSync(join(jarvis.dataDir, 'policy.yaml'), policy)
  const screen = await jarvis.connect()
  return {
    jarvis,
    screen,
    add: async (body: object) =>
      (await (await jarvis.rest('/api/push', { method: 'POST', json: body })).json()) as PushDevice,
    async told(to: string) {
      const { toolUseId } = await screen.next('chat:confirm_needed')
      const mine = () => sent.find((one) => one.to === to && one.message.tag === toolUseId)?.message
      await expect.poll(mine).toBeDefined()
      return { toolUseId, buttons: mine()?.buttons as PushButtons }
    },
    /** Without any token, as a worker asks. */
    async press(body: object) {
      const response = await fetch(`${jarvis.url}/api/push/decide`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
      return response.ok ? 'ok' : ((await response.json()) as { error: { code: string; message: string } }).error
    },
    /** The tags of what a device was sent. */
    sentTo: (to: string) => sent.flatMap((one) => (one.to === to ? [one.message.tag] : [])),
    restarts: () => jarvis.controls.effects.length,
    journal: async (kind: string) =>
      ((await (await jarvis.rest(`/api/journal?kind=${kind}`)).json()) as { items: JournalEntry[] }).items.map(
        ({ body }) => body as Record<string, unknown>,
      ),
  }
}

test('a button of a device decides a light card once, signed, and each lie decides nothing', async () => {
  const { jarvis, screen, add, told, press, restarts, journal } = await start()
  const [phone, tablet, plain] = [browser('phone'), browser('tablet'), browser('plain')] as const
  expect(await add(phone.body)).toMatchObject({ decides: true })
  await add(tablet.body)
  const { key: _, ...without } = plain.body
  expect(await add(without)).toMatchObject({ decides: false })
  expect((await journal('signer'))[0]).toMatchObject({ type: 'device', change: 'added', seal: expect.any(String) })

  await screen.ask('chat:send', { message: 'Restart 101.' })
  const { toolUseId, buttons } = await told(phone.endpoint)
  const refused = { code: 'proof_refused' }
  const lies = [
    tablet.press(buttons, 'approved'),
    { ...phone.press(buttons, 'approved'), decision: 'denied' },
    { ...phone.press(buttons, 'approved'), device: 'psh_0' },
    { ...phone.press(buttons, 'approved'), challenge: 'A'.repeat(43) },
    { ...phone.press(buttons, 'approved'), signature: '' },
    phone.press(buttons, 'approved', { text: `jarvis-decision-v1\0${buttons.before}"approved"${buttons.after}` }),
  ]
  for (const lie of lies) expect(await press(lie)).toMatchObject(refused)
  expect(restarts()).toBe(0)

  const pressed = phone.press(buttons, 'approved')
  expect(await press(pressed)).toBe('ok')
  expect(await screen.next('chat:confirm_resolved')).toMatchObject({ toolUseId, by: 'operator', signed: 'device' })
  await expect.poll(restarts).toBe(1)
  expect(await press(pressed)).toMatchObject(refused)
  await screen.next('chat:done')
  expect((await journal('decision'))[0]).toMatchObject({ receipt: { type: 'device', id: buttons.device } })

  // A denial is signed too.
  await screen.ask('chat:send', { message: 'Again.' })
  const next = await told(phone.endpoint)
  expect(await press(phone.press(next.buttons, 'denied'))).toBe('ok')
  await screen.next('chat:done')
  expect(restarts()).toBe(1)
  expect(await (await jarvis.rest('/api/journal/verify')).json()).toMatchObject({ ok: true })
}, 60_000)

test('a revoked device, and a card that must be signed, have no button that decides', async () => {
  const { jarvis, screen, add, told, press, restarts, journal } = await start()
  const phone = browser('phone')
  const { id } = await add(phone.body)
  await screen.ask('chat:send', { message: 'Restart 101.' })
  const { toolUseId, buttons } = await told(phone.endpoint)
  await jarvis.rest(`/api/push/${id}`, { method: 'DELETE' })
  expect((await journal('signer'))[0]).toMatchObject({ type: 'device', change: 'removed', id })
  expect(await press(phone.press(buttons, 'approved'))).toMatchObject({ code: 'proof_refused' })
  const deny = { method: 'POST', json: { confirmed: false } }
  expect((await jarvis.rest(`/api/confirmations/${toolUseId}`, deny)).status).toBe(200)
  await screen.next('chat:done')

  await add(phone.body)
  writeFileSync(join(jarvis.dataDir, 'policy.yaml'), 'proof: passkey\n')
  const events = await jarvis.connect('/events')
  for (;;) if (((await events.next('event' as never)) as unknown as { kind: string }).kind === 'policy') break
  await screen.ask('chat:send', { message: 'Again.' })
  expect((await told(phone.endpoint)).buttons).toBeUndefined()
  expect(restarts()).toBe(0)
}, 60_000)

test('after signing out everywhere no device of the person is told, and a button that it still shows decides nothing', async () => {
  const { jarvis, screen, add, told, press, sentTo, restarts } = await start()
  const phone = browser('phone')
  await add(phone.body)
  await screen.ask('chat:send', { message: 'Restart 101.' })
  const { toolUseId, buttons } = await told(phone.endpoint)
  expect((await jarvis.rest('/api/auth/sign-out-others', { method: 'POST' })).status).toBe(200)
  expect(await (await jarvis.rest('/api/push')).json()).toMatchObject({ items: [] })
  for (const decision of ['approved', 'denied'] as const)
    expect(await press(phone.press(buttons, decision))).toMatchObject({ code: 'proof_refused' })

  const before = sentTo(phone.endpoint)
  const other = browser('other')
  await add(other.body)
  const again = await jarvis.connect()
  await jarvis.rest(`/api/confirmations/${toolUseId}`, { method: 'POST', json: { confirmed: false } })
  await again.ask('chat:send', { message: 'Again.' })
  const card = await again.next('chat:confirm_needed')
  await expect.poll(() => sentTo(other.endpoint).includes(card.toolUseId)).toBe(true)
  expect(sentTo(phone.endpoint)).toEqual(before)
  expect(restarts()).toBe(0)
})
