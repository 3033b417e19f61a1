import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Invitation, JournalEntry, LoginReply, Page, PeopleReply } from 'protocol'
import { expect, test } from 'vitest'
import { commandHere } from './support/command-here.ts'
import { createSkippingClock } from './support/fake-clock.ts'
import { as, guestsPassword, invited, joined, postJson, secretOf, stepUpAs } from './support/people.ts'
import { startJarvis, type TestJarvis } from './support/start-jarvis.ts'

const joinBy = (jarvis: TestJarvis, secret: string, name = 'Ann', password = guestsPassword) =>
  postJson(jarvis, '/auth/join', { secret, name, password })
const open = async (jarvis: TestJarvis) =>
  ((await (await jarvis.rest('/api/people/invitations')).json()) as { items: Invitation[] }).items
const names = async (jarvis: TestJarvis) =>
  ((await (await jarvis.rest('/api/people')).json()) as PeopleReply).items.map(({ name, role }) => `${name} ${role}`)
const journalled = async (jarvis: TestJarvis) => {
  const page = (await (await jarvis.rest('/api/journal?kind=person')).json()) as Page<JournalEntry>
  return page.items.reverse().map(({ body }) => body as Record<string, unknown>)
}
const signIn = (jarvis: TestJarvis, name: string, password: string) =>
  postJson(jarvis, '/auth/login', { name, password })

test('somebody who is invited becomes a person of the role that the inviter chose, and is signed in', async () => {
  const jarvis = await startJarvis({ env: { JARVIS_PUBLIC_URL: 'https://jarvis.example.org' } })
  const { secret, link, ...invitation } = await invited(jarvis, { role: 'operator', name: 'Ann' })
  expect(link).toBe(`https://jarvis.example.org/#/join/${secret}`)
  expect(Buffer.from(secret, 'base64url')).toHaveLength(16)
  expect(invitation.expiresAt - invitation.createdAt).toBe(72 * 60 * 60_000)
  expect(await open(jarvis)).toEqual([invitation])
  expect(JSON.stringify(await open(jarvis))).not.toContain(secret)

  const told = await postJson(jarvis, '/auth/link', { secret })
  expect(await told.json()).toMatchObject({ kind: 'join', role: 'operator', name: 'Ann', by: 'operator' })
  expect((await joinBy(jarvis, secret, 'Ann', 'short')).status).toBe(400)
  expect((await joinBy(jarvis, secret, 'Operator')).status).toBe(409)
  // Nothing was used up by that.
  const response = await joinBy(jarvis, secret, 'Anna')
  expect(response.headers.get('set-cookie')).toContain('jarvis_device=')
  const { token, person } = (await response.json()) as LoginReply
  expect(person).toMatchObject({ name: 'Anna', role: 'operator' })
  expect((await jarvis.rest('/api/auth/me', as(token))).status).toBe(200)
  expect(await open(jarvis)).toEqual([])
  expect((await signIn(jarvis, 'anna', guestsPassword)).status).toBe(200)

  const facts = { role: 'operator', by: 'operator' }
  expect(await journalled(jarvis)).toEqual([
    { change: 'invited', invitation: invitation.id, name: 'Ann', expiresAt: invitation.expiresAt, ...facts },
    { change: 'added', person: person.id, name: 'Anna', invitation: invitation.id, ...facts },
  ])
})

test('every link that does not count is refused in the same words', async () => {
  const clock = createSkippingClock()
  const jarvis = await startJarvis({ clock })
  writeFileSync(join(jarvis.dataDir, 'policy.yaml'), 'roles:\n  helper:\n    - { may: restart, on: vm/103 }\n')
  const [ben, eva] = [await joined(jarvis, 'Ben', 'owner'), await joined(jarvis, 'Eva', 'owner')]
  const change = (id: string, json: object) => jarvis.rest(`/api/people/${id}`, { method: 'PATCH', json })
  const of = async (login: LoginReply) => {
    await stepUpAs(jarvis, login.token)
    return (await invited(jarvis, { role: 'viewer' }, as(login.token))).secret
  }
  const secrets: Record<string, string> = {
    unknown: 'A'.repeat(22),
    empty: '',
    'of a maker who is no owner any more, and then again': await of(ben),
    'of a maker who was removed': await of(eva),
    used: (await invited(jarvis, { role: 'viewer' })).secret,
    withdrawn: '',
  }
  await joinBy(jarvis, secrets.used ?? '', 'Una')
  const withdrawn = await invited(jarvis, { role: 'viewer' })
  secrets.withdrawn = withdrawn.secret
  expect((await jarvis.rest(`/api/people/invitations/${withdrawn.id}`, { method: 'DELETE' })).status).toBe(204)
  expect((await jarvis.rest(`/api/people/invitations/${withdrawn.id}`, { method: 'DELETE' })).status).toBe(404)
  await change(ben.person.id, { role: 'operator' })
  await change(ben.person.id, { role: 'owner' })
  await jarvis.rest(`/api/people/${eva.person.id}`, { method: 'DELETE' })
  const disabling = await joined(jarvis, 'Dan', 'owner')
  secrets['of a maker who was disabled'] = await of(disabling)
  await change(disabling.person.id, { disabled: true })
  const late = await invited(jarvis, { role: 'viewer' })
  expect(await open(jarvis)).toMatchObject([{ id: late.id }])
  clock.skip(72 * 60 * 60_000)
  secrets.late = late.secret
  expect(await open(jarvis)).toEqual([])

  const before = await names(jarvis)
  const refusals = new Set<string>()
  for (const [path, more] of [
    ['/auth/join', { name: 'Zoe', password: guestsPassword }],
    ['/auth/link', {}],
    ['/auth/reset', { password: guestsPassword }],
  ] as const) {
    for (const secret of Object.values(secrets)) {
      const response = await postJson(jarvis, path, { secret, ...more })
      refusals.add(`${response.status} ${await response.text()}`)
      // So that the brake on guessing stays off.
      clock.skip(60 * 60_000)
    }
  }
  expect([...refusals]).toEqual([expect.stringMatching(/^404 .*used, was withdrawn or is too old/)])
  expect(await names(jarvis)).toEqual(before)
})

test('of many who use one invitation at once, one comes in', async () => {
  const jarvis = await startJarvis()
  const { secret } = await invited(jarvis, { role: 'viewer' })
  const replies = await Promise.all(Array.from({ length: 8 }, (_, index) => joinBy(jarvis, secret, `guest${index}`)))
  expect(replies.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 7 }, () => 404)])
  expect(await names(jarvis)).toHaveLength(2)
})

test('secrets cannot be tried without end, and who guesses locks nobody out who has one', async () => {
  const jarvis = await startJarvis()
  const statuses: number[] = []
  for (let at = 0; at < 21; at += 1) statuses.push((await postJson(jarvis, '/auth/link', { secret: `x${at}` })).status)
  expect(new Set(statuses)).toEqual(new Set([404, 429]))
  const { secret } = await invited(jarvis, { role: 'viewer' })
  expect((await postJson(jarvis, '/auth/link', { secret })).status).toBe(200)
  for (const name of ['jarvis', 'CLI']) expect((await joinBy(jarvis, secret, name)).status).toBe(400)
  expect((await joinBy(jarvis, secret, 'ann')).status).toBe(200)
})

test('a person and the use of the invitation are written together or not at all', async () => {
  let isBroken = false
  const jarvis = await startJarvis({
    database: (database) => ({
      ...database,
      durably: (work) =>
        database.durably(() => {
          const done = work()
          if (isBroken) throw new Error('the disk is full')
          return done
        }),
    }),
  })
  const { secret } = await invited(jarvis, { role: 'viewer' })
  isBroken = true
  expect((await joinBy(jarvis, secret)).status).toBe(500)
  isBroken = false
  expect(await names(jarvis)).toEqual(['operator owner'])
  expect((await joinBy(jarvis, secret)).status).toBe(200)
})

test('owners alone invite, with their password, to roles that there are', async () => {
  const jarvis = await startJarvis()
  const { token } = await joined(jarvis, 'Ann', 'operator')
  const post = (json: object, init: object = {}) =>
    jarvis.rest('/api/people/invitations', { method: 'POST', json, ...init })
  expect((await post({ role: 'viewer' }, as(token))).status).toBe(403)
  expect((await jarvis.rest('/api/people/invitations', as(token))).status).toBe(403)
  expect((await post({ role: 'cook' })).status).toBe(400)
  expect((await post({ role: 'viewer', name: 'a b' })).status).toBe(400)
  const plain = await fetch(`${jarvis.url}/api/people/invitations`, {
    method: 'POST',
    headers: { authorization: `Bearer ${jarvis.token('operator')}`, 'content-type': 'application/json' },
    body: '{"role":"viewer"}',
  })
  expect(await plain.json()).toMatchObject({ error: { code: 'step_up_required' } })
})

test('the command line lists, invites, changes and removes people, and a server that runs counts it at once', async () => {
  const jarvis = await startJarvis()
  const run = async (...args: string[]) => {
    const { code, stdout, stderr } = await commandHere(jarvis, ['user', ...args])
    return { code, said: stdout.trim(), noted: stderr.trim() }
  }
  const link = await run('invite', 'operator', 'Ann')
  expect(link.said).toMatch(/^http:\/\/localhost:\d+\/#\/join\/[\w-]{22}$/)
  expect((await run()).said).toMatch(/^operator {2}owner .*\ninvited: Ann {2}operator {2}until /)
  const reply = (await (await joinBy(jarvis, secretOf(link.said))).json()) as LoginReply
  const screen = await jarvis.connect('/chat', 'operator', reply.token)
  const dropped = new Promise((resolve) => screen.socket.once('disconnect', resolve))
  expect((await run('role', 'Ann', 'viewer')).said).toBe('Ann is viewer now.')
  expect((await jarvis.rest('/api/doctor', as(reply.token))).status).toBe(403)
  await dropped
  for (const [action, status] of [
    ['disable', 401],
    ['enable', 200],
    ['sign-out', 200],
    ['remove', 401],
  ] as const) {
    expect((await run(action, 'ann')).code).toBe(0)
    expect((await signIn(jarvis, 'Ann', guestsPassword)).status).toBe(status)
  }
  expect(await run('remove', 'operator')).toMatchObject({ code: 1, noted: expect.stringContaining('only owner') })
  for (const [code, ...args] of [
    [1, 'role', 'operator', 'viewer'],
    [1, 'disable', 'operator'],
    [2, 'nod'],
    [2, 'role', 'Ann'],
  ] as const)
    expect([args, (await run(...args)).code]).toEqual([args, code])
  expect((await run('reset', 'nobody')).noted).toContain('There are: operator.')
  expect((await journalled(jarvis)).map(({ change, by }) => `${change} ${by}`)).toEqual([
    ...['invited cli', 'added cli', 'changed cli', 'disabled cli', 'enabled cli', 'signed_out cli', 'removed cli'],
  ])
})

test('a link of the command line sets a new password once, for the last owner too', async () => {
  const jarvis = await startJarvis({ env: { JARVIS_PASSWORD: '' } })
  const { token: mine } = (await (
    await postJson(jarvis, '/auth/login', { password: jarvis.newPassword ?? '' })
  ).json()) as LoginReply
  const screen = await jarvis.connect('/events', 'operator', mine)
  const told = new Promise<string>((resolve) => {
    screen.socket.on('event', ({ kind, text }: { kind: string; text: string }) => kind === 'person' && resolve(text))
  })
  const made = await commandHere(jarvis, ['user', 'reset', 'operator'])
  expect(await told).toContain('sets a new password for operator')
  const secret = secretOf(made.stdout)
  expect(made.stdout).toContain('/#/reset/')
  expect(await (await postJson(jarvis, '/auth/link', { secret })).json()).toMatchObject({
    kind: 'reset',
    name: 'operator',
  })
  expect((await postJson(jarvis, '/auth/reset', { secret, password: 'short' })).status).toBe(400)
  const reset = await postJson(jarvis, '/auth/reset', { secret, password: guestsPassword })
  expect(await reset.json()).toMatchObject({ person: { id: 'operator', role: 'owner' } })
  expect((await postJson(jarvis, '/auth/reset', { secret, password: guestsPassword })).status).toBe(404)
  expect((await fetch(`${jarvis.url}/api/auth/me`, as(mine))).status).toBe(401)
  expect((await signIn(jarvis, 'operator', jarvis.newPassword ?? '')).status).toBe(401)
  expect((await signIn(jarvis, 'operator', guestsPassword)).status).toBe(200)
})

test('a new password for another person ends their sign-ins, and the newest link alone counts', async () => {
  const clock = createSkippingClock()
  const jarvis = await startJarvis({ clock })
  const ann = await joined(jarvis, 'Ann', 'viewer')
  const reset = async () => secretOf((await commandHere(jarvis, ['user', 'reset', 'ann'])).stdout)
  const use = (secret: string) => postJson(jarvis, '/auth/reset', { secret, password: 'another-good-one' })
  const [older, newer] = [await reset(), await reset()]
  expect((await use(older)).status).toBe(404)
  expect((await postJson(jarvis, '/auth/join', { secret: newer, name: 'Zoe', password: guestsPassword })).status).toBe(
    404,
  )
  expect((await use(newer)).status).toBe(200)
  expect((await jarvis.rest('/api/auth/me', as(ann.token))).status).toBe(401)
  expect((await signIn(jarvis, 'Ann', guestsPassword)).status).toBe(401)
  expect((await journalled(jarvis)).map(({ change, by }) => `${change} ${by}`).slice(-3)).toEqual([
    ...['reset_made cli', 'reset_used cli', `password_set ${ann.person.id}`],
  ])
  const late = await reset()
  clock.skip(16 * 60_000)
  expect((await use(late)).status).toBe(404)
  // The first owner's comes from the configuration here.
  expect(
    (await commandHere(jarvis, ['user', 'reset', 'operator'], { JARVIS_PASSWORD: 'x'.repeat(9) })).stderr,
  ).toContain('JARVIS_PASSWORD sets the password')
})
