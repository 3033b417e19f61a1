import type { InvitationReply, LoginReply } from 'protocol'
import type { TestJarvis } from './start-jarvis.ts'

export const as = (token: string) => ({ headers: { authorization: `Bearer ${token}` } })

/** Sends JSON without a token. */
export const postJson = (jarvis: Pick<TestJarvis, 'url'>, path: string, body: object) =>
  fetch(`${jarvis.url}/api${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

/** The secret of a link, which stands behind its last `/`. */
export const secretOf = (link: string): string => link.trim().split('/').at(-1) ?? ''

export async function invited(jarvis: TestJarvis, body: { role: string; name?: string }, init: object = {}) {
  const response = await jarvis.rest('/api/people/invitations', { method: 'POST', json: body, ...init })
  if (!response.ok) throw new Error(await response.text())
  const invitation = (await response.json()) as InvitationReply
  return { ...invitation, secret: secretOf(invitation.link) }
}

export const guestsPassword = 'plum-orchard-seven'

/** Somebody who was invited and has joined. */
export async function joined(jarvis: TestJarvis, name: string, role: string): Promise<LoginReply> {
  const { secret } = await invited(jarvis, { role })
  const response = await postJson(jarvis, '/auth/join', { secret, name, password: guestsPassword })
  if (!response.ok) throw new Error(await response.text())
  return (await response.json()) as LoginReply
}

/** Gives the password again, for somebody who joined. */
export async function stepUpAs(jarvis: Pick<TestJarvis, 'url'>, token: string): Promise<void> {
  const response = await fetch(`${jarvis.url}/api/auth/step-up`, {
    method: 'POST',
    headers: { ...as(token).headers, 'content-type': 'application/json' },
    body: JSON.stringify({ password: guestsPassword }),
  })
  if (!response.ok) throw new Error(await response.text())
}
