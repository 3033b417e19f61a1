import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { signedIn, signOut, signOutProblem, takeReply } from './auth.ts'

/** A page whose server answers each sign-out with this; undefined: with nothing. */
async function page(status: number | undefined, body = '{}') {
  const server = createServer((request, response) => {
    if (status === undefined) request.socket.destroy()
    else response.writeHead(status, { 'content-type': 'application/json' }).end(body)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const own = globalThis.fetch
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  globalThis.fetch = (path, init) => own(new URL(String(path), base), init)
  onTestFinished(async () => {
    globalThis.fetch = own
    server.closeAllConnections()
    await new Promise((done) => server.close(done))
  })
  const person = { id: 'per_ann', name: 'Ann', role: 'operator' }
  takeReply({ expiresIn: 60, role: 'operator', person })
  expect(signedIn.get()).toBeDefined()
}
const error = (code: string) => JSON.stringify({ error: { code, message: 'The disk is full.' } })

test.each([
  ['it worked', 200, '{}'],
  ['the sign-in had ended before', 401, error('unauthorized')],
])('a sign-out says nothing where %s', async (_what, status, body) => {
  await page(status, body)
  await signOut()
  expect([signedIn.get(), signOutProblem.get()]).toEqual([undefined, undefined])
})

test.each([
  ['refuses', 507, error('storage_failed'), 'The disk is full.'],
  ['does not answer', undefined, '', ''],
])(
  'a sign-out is forgotten here and says that it may count still where the server %s',
  async (_what, status, body, why) => {
    await page(status, body)
    await signOut()
    expect(signedIn.get()).toBeUndefined()
    expect(signOutProblem.get()).toMatch(/^This browser forgot the sign-in, and JARVIS may count it still: /)
    expect(signOutProblem.get()).toContain(why)
    // The next sign-in takes the words away.
    takeReply({ expiresIn: 60, role: 'operator', person: { id: 'per_ann', name: 'Ann', role: 'operator' } })
    expect(signOutProblem.get()).toBeUndefined()
  },
)
