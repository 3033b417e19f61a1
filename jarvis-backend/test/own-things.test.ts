import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type {
  ApiTokenInfo,
  ApiTokenReply,
  ConfirmationRow,
  Grant,
  Job,
  JournalEntry,
  LoginReply,
  Page,
  PushMessage,
} from 'protocol'
import { expect, test } from 'vitest'
import type { PushSender } from '../src/channels/web-push/ports.ts'
import { as, guestsPassword, joined, postJson, stepUpAs } from './support/people.ts'
import { startJarvis, type TestJarvis } from './support/start-jarvis.ts'

const helper = 'roles:\n  helper:\n    - { may: restart, on: vm/103 }\n'

/** Where messages went, by the last part of the device's address. */
function fakeSender() {
  const sent: { to: string; message: PushMessage }[] = []
  const sender: PushSender = {
    publicKey: 'the-public-key',
    send({ endpoint }, { payload }) {
      sent.push({ to: endpoint.split('/').at(-1) ?? '', message: JSON.parse(payload) as PushMessage })
      return Promise.resolve({ kind: 'sent' })
    },
  }
  const told = (to: string, title: string) =>
    sent.filter(({ message, ...item }) => item.to === to && message.title === title && !message.withdraws).length
  /** Receivers of a card's messages. */
  const toldOf = (tag: string) => sent.filter(({ message }) => message.tag === tag).map(({ to }) => to)
  return { sender, told, toldOf }
}

async function house(options: Parameters<typeof startJarvis>[0] = {}) {
  const jarvis = await startJarvis({ env: { JARVIS_EMBEDDINGS: 'none' }, ...options })
  writeFileSync(join(jarvis.dataDir, 'policy.yaml'), helper)
  await expect.poll(async () => JSON.stringify(await (await jarvis.rest('/api/roles')).json())).toContain('helper')
  const come = async (name: string, role: string) => {
    const login = await joined(jarvis, name, role)
    await stepUpAs(jarvis, login.token)
    return login
  }
  return { jarvis, come }
}
const items = async <T>(jarvis: TestJarvis, path: string, init: object = {}) =>
  ((await (await jarvis.rest(path, init)).json()) as { items: T[] }).items
const post = (jarvis: TestJarvis, path: string, json: object, { token }: Pick<LoginReply, 'token'>) =>
  jarvis.rest(path, { method: 'POST', json, ...as(token) })
const device = (name: string) => ({
  endpoint: `https://push.example.org/${name}`,
  keys: { p256dh: 'A'.repeat(87), auth: 'A'.repeat(22) },
  label: name,
})
const remove = (jarvis: TestJarvis, { person }: LoginReply) =>
  jarvis.rest(`/api/people/${person.id}`, { method: 'DELETE' })
const asks = 'Restart VM 103 truenas on pve?'
/** Asks for the call in a conversation of that person, whose card waits. */
async function asked(jarvis: TestJarvis, { token }: Pick<LoginReply, 'token'>, message = '/restart_vm vmid=103') {
  const screen = await jarvis.connect('/chat', 'operator', token)
  const { sessionId } = await screen.ask('chat:send', { message })
  return { screen, sessionId, card: await screen.next('chat:confirm_needed') }
}

test('with a person go tokens, grants, passkeys, devices and cards; jobs wait for somebody who takes them over', async () => {
  const push = fakeSender()
  const { jarvis, come } = await house({ push: push.sender })
  const ann = await come('Ann', 'operator')
  const ben = await come('Ben', 'operator')
  for (const person of [ann, ben]) {
    const { name } = person.person
    expect((await post(jarvis, '/api/push', device(name), person)).status).toBe(201)
    expect((await post(jarvis, '/api/tokens', { name: `of-${name}`, doors: ['api'] }, person)).status).toBe(201)
    const job = {
      name: `job of ${name}`,
      schedule: { kind: 'interval', minutes: 60 },
      work: { kind: 'call', toolName: 'restart_vm', toolInput: { vmid: 103 } },
    }
    expect((await post(jarvis, '/api/jobs', job, person)).status).toBe(201)
    const { screen, sessionId, card } = await asked(jarvis, person)
    await screen.ask('chat:confirm', { sessionId, toolUseId: card.toolUseId, confirmed: true, grant: { uses: 5 } })
    await screen.next('chat:done')
  }
  const waiting = await asked(jarvis, ann, '/stop_vm vmid=103')
  const others = await asked(jarvis, ben, '/stop_vm vmid=103')
  expect(await items<Grant>(jarvis, '/api/grants')).toHaveLength(2)

  expect((await remove(jarvis, ann)).status).toBe(204)
  const cards = await items<ConfirmationRow>(jarvis, '/api/confirmations')
  const isDecided = ({ card }: typeof waiting) =>
    cards.find(({ toolUseId }) => toolUseId === card.toolUseId)?.decision !== undefined
  expect([isDecided(waiting), isDecided(others)]).toEqual([true, false])
  expect((await items<Grant>(jarvis, '/api/grants')).map(({ requestedBy }) => requestedBy.person)).toEqual([
    ben.person.id,
  ])
  expect((await items<ApiTokenInfo>(jarvis, '/api/tokens')).map(({ name }) => name)).toEqual(['of-Ben'])
  const jobs = (await items<Job>(jarvis, '/api/jobs')).filter(({ isShipped }) => isShipped !== true)
  expect(jobs.map(({ name, state }) => `${name}: ${state}`).sort()).toEqual([
    'job of Ann: paused',
    'job of Ben: active',
  ])
  const { card: later } = await asked(jarvis, ben, '/stop_vm vmid=101')
  await expect.poll(() => push.toldOf(later.toolUseId)).toEqual(['Ben'])

  const theirs = jobs.find(({ name }) => name === 'job of Ann')
  const resumed = await jarvis.rest(`/api/jobs/${theirs?.id}`, { method: 'PATCH', json: { isPaused: false } })
  expect(await resumed.json()).toMatchObject({ state: 'active', by: 'operator' })
  const journal = (await (await jarvis.rest('/api/journal?limit=200')).json()) as Page<JournalEntry>
  const lines = journal.items.map(({ kind, body }) => `${kind} ${(body as { change?: string }).change}`)
  for (const line of [
    'person removed',
    'token revoked',
    'grant revoked',
    'channel pairings_void',
    'job paused',
    'job taken_over',
  ])
    expect(lines).toContain(line)
})

test('a grant serves the person alone to whom it was given', async () => {
  const { jarvis, come } = await house()
  const [ann, ben, kid] = [await come('Ann', 'operator'), await come('Ben', 'operator'), await come('Kid', 'helper')]
  const { screen, sessionId, card } = await asked(jarvis, ann)
  await screen.ask('chat:confirm', { sessionId, toolUseId: card.toolUseId, confirmed: true, grant: { uses: 5 } })
  await screen.next('chat:done')
  await screen.ask('chat:send', { sessionId, message: '/restart_vm vmid=103' })
  await screen.next('chat:done')
  expect(jarvis.controls.effects).toHaveLength(2)

  for (const other of [ben, kid]) await asked(jarvis, other)
  expect(jarvis.controls.effects).toHaveLength(2)
  const [grant] = await items<Grant>(jarvis, '/api/grants', as(ann.token))
  expect(await items<Grant>(jarvis, '/api/grants', as(kid.token))).toEqual([])
  const revoke = (token: string) => jarvis.rest(`/api/grants/${grant?.id}`, { method: 'DELETE', ...as(token) })
  expect([(await revoke(kid.token)).status, (await revoke(ann.token)).status]).toEqual([403, 204])
})

test('a member makes tokens that never do more than the member, and sees and revokes no other', async () => {
  const { jarvis, come } = await house()
  const [kid, viewer] = [await come('Kid', 'helper'), await joined(jarvis, 'Vic', 'viewer')]
  const make = (json: object, who: LoginReply = kid) => post(jarvis, '/api/tokens', json, who)
  expect((await make({ name: 'peek', doors: ['api'] }, viewer)).status).toBe(403)
  expect((await make({ name: 'graphs', doors: ['api', 'metrics'] })).status).toBe(403)
  const { token } = (await (await make({ name: 'kids', doors: ['v1', 'api'], scope: 'ask' })).json()) as ApiTokenReply
  expect(
    (await jarvis.rest('/api/tokens', { method: 'POST', json: { name: 'house', doors: ['mcp', 'api', 'metrics'] } }))
      .status,
  ).toBe(201)

  expect((await items<ApiTokenInfo>(jarvis, '/api/tokens', as(kid.token))).map(({ name }) => name)).toEqual(['kids'])
  expect(await items<ApiTokenInfo>(jarvis, '/api/tokens')).toHaveLength(2)
  const revoke = (name: string, init: object = as(kid.token)) =>
    jarvis.rest(`/api/tokens/${name}`, { method: 'DELETE', ...init })
  expect((await revoke('house')).status).toBe(404)

  const seen = (await (await jarvis.rest('/api/cluster', as(token))).json()) as { guests: { vmid: number }[] }
  expect(seen.guests.map(({ vmid }) => vmid)).toEqual([103])
  expect((await jarvis.rest('/api/memory/search?q=vm', as(token))).status).toBe(403)
  const role = (name: string) => jarvis.rest(`/api/people/${kid.person.id}`, { method: 'PATCH', json: { role: name } })
  await role('viewer')
  const send = () => jarvis.rest('/api/sessions', { method: 'POST', json: { message: 'Restart 103.' }, ...as(token) })
  expect((await send()).status).toBe(403)
  await jarvis.rest(`/api/people/${kid.person.id}`, { method: 'PATCH', json: { disabled: true } })
  expect((await jarvis.rest('/api/cluster', as(token))).status).toBe(401)
  await jarvis.rest(`/api/people/${kid.person.id}`, { method: 'PATCH', json: { disabled: false, role: 'helper' } })
  expect((await jarvis.rest('/api/cluster', as(token))).status).toBe(200)
  expect((await revoke('kids', {})).status).toBe(204)
})

test('each person has devices of their own, which hear of what the person may see', async () => {
  const push = fakeSender()
  const { jarvis, come } = await house({ push: push.sender })
  const people = {
    Ann: await come('Ann', 'operator'),
    Kid: await come('Kid', 'helper'),
    Lil: await come('Lil', 'helper'),
  }
  for (const [name, person] of Object.entries(people))
    expect((await post(jarvis, '/api/push', device(name), person)).status).toBe(201)
  expect((await items<{ label: string }>(jarvis, '/api/push', as(people.Kid.token))).map(({ label }) => label)).toEqual(
    ['Kid'],
  )

  const { sessionId } = await asked(jarvis, people.Kid)
  await expect.poll(() => [push.told('Ann', asks), push.told('Kid', asks)]).toEqual([1, 1])
  await asked(jarvis, people.Ann)
  await expect.poll(() => push.told('Ann', asks)).toBe(2)
  expect([push.told('Kid', asks), push.told('Lil', asks)]).toEqual([1, 0])

  // A share is told to the one it is for, on no other device.
  const place = `/api/sessions/${sessionId}/shares/${people.Lil.person.id}`
  expect(
    (await jarvis.rest(place, { method: 'PUT', json: { may: 'look' }, ...as(people.Kid.token) })).status,
  ).toBeLessThan(300)
  const isShared = 'A conversation was shared with you'
  await expect.poll(() => push.told('Lil', isShared)).toBe(1)
  expect([push.told('Ann', isShared), push.told('Kid', isShared)]).toEqual([0, 0])

  // A device that signed in with the earlier password receives nothing more.
  await postJson(jarvis, '/auth/login', { name: 'Ann', password: guestsPassword })
  const changed = await post(
    jarvis,
    '/api/auth/password',
    { current: guestsPassword, next: 'a-much-better-one' },
    people.Ann,
  )
  const { token } = (await changed.json()) as LoginReply
  expect(await items(jarvis, '/api/push', as(token))).toEqual([])
  expect(await items(jarvis, '/api/push', as(people.Kid.token))).toHaveLength(1)
})

test('a person is told on other devices of a sign-in on a new one, and nobody else is', async () => {
  const push = fakeSender()
  const { jarvis, come } = await house({ push: push.sender })
  const ann = await come('Ann', 'operator')
  await post(jarvis, '/api/push', device('Ann'), ann)
  await jarvis.rest('/api/push', { method: 'POST', json: device('operator') })
  const open = async (token: string) => {
    const heard: string[] = []
    const screen = await jarvis.connect('/events', 'operator', token)
    screen.socket.on('event', ({ kind, text }: { kind: string; text: string }) => kind === 'person' && heard.push(text))
    return heard
  }
  const [hers, mine] = [await open(ann.token), await open(jarvis.token('operator'))]
  const login = (headers: object = {}) =>
    fetch(`${jarvis.url}/api/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'user-agent': 'Phone/1', ...headers },
      body: JSON.stringify({ name: 'ann', password: guestsPassword }),
    })
  const first = await login()
  await expect
    .poll(() => hers)
    .toEqual([expect.stringMatching(/^Ann signed in on a new device, from 127\.0\.0\.1 \(password\)/)])
  await expect.poll(() => push.told('Ann', 'Signed in on a new device')).toBe(1)
  const cookie = first.headers.get('set-cookie')?.split(';')[0] ?? ''
  await login({ cookie, 'user-agent': 'Phone/2' })
  await login({ 'user-agent': 'Desk/1' })
  await expect.poll(() => hers.length).toBe(2)
  expect([mine, push.told('operator', 'Signed in on a new device')]).toEqual([[], 0])
  const { items: journal } = (await (await jarvis.rest('/api/journal?kind=sign_in')).json()) as Page<JournalEntry>
  const isNew = journal.flatMap(({ body }) => {
    const { what, method, client, isNewDevice } = body as Record<string, unknown>
    return what === 'signed_in' && method === 'password' ? [`${client} ${isNewDevice === true}`] : []
  })
  expect(isNew).toEqual(['Desk/1 true', 'Phone/2 false', 'Phone/1 true'])
})

test('a shell on a node is an owner’s, a guest’s console an operator’s, each with the password again', async () => {
  const { jarvis, come } = await house({ env: { JARVIS_TERMINAL: '1' } })
  const size = { cols: 80, rows: 24 }
  const ask = async (token: string, place: object) => {
    const screen = await jarvis.connect('/terminal', 'operator', token)
    const reply = (await screen.socket.timeout(60_000).emitWithAck('terminal:open', { ...place, ...size })) as {
      error?: { code: string }
    }
    screen.socket.disconnect()
    return reply.error?.code ?? 'ok'
  }
  const kid = await come('Kid', 'helper')
  const ann = await come('Ann', 'operator')
  const owner = await joined(jarvis, 'Own', 'owner')
  const [node, guest] = [{ node: 'pve' }, { vmid: 101 }]
  expect([await ask(kid.token, node), await ask(kid.token, guest)]).toEqual(['forbidden', 'forbidden'])
  expect(await ask(ann.token, node)).toBe('forbidden')
  expect(await ask(ann.token, guest)).not.toMatch(/forbidden|step_up/)
  expect(await ask(owner.token, node)).toBe('step_up_required')
  await stepUpAs(jarvis, owner.token)
  expect(await ask(owner.token, node)).not.toMatch(/forbidden|step_up/)
})
