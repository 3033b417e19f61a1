import type { PasskeyReply, WebAuthnOptions } from 'protocol'
import type { Authenticator, Lies } from './fake-authenticator.ts'
import type { TestJarvis } from './start-jarvis.ts'

/** REST at `http://localhost`, where passkeys work. @param token of somebody who has given the password; absent: the operator's */
export function passkeyDoor(jarvis: Pick<TestJarvis, 'url' | 'token'>, token = jarvis.token('operator')) {
  const origin = jarvis.url.replace('127.0.0.1', 'localhost')
  const send = (method: string, path: string, body?: unknown, as: string | undefined = token) =>
    fetch(`${origin}/api${path}`, {
      method,
      headers: {
        'content-type': 'application/json',
        ...(as !== '' && { authorization: `Bearer ${as}` }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
  const ask = async <T>(...request: Parameters<typeof send>): Promise<T> => {
    const response = await send(...request)
    if (!response.ok) throw new Error(`${request[1]}: ${response.status} ${await response.text()}`)
    return (response.status === 204 ? undefined : await response.json()) as T
  }
  return {
    origin,
    token,
    send,
    ask,
    async enrol(authenticator: Authenticator, name = 'Key', lies: Lies = {}): Promise<PasskeyReply> {
      const options = await ask<WebAuthnOptions>('POST', '/passkeys/options')
      return ask('POST', '/passkeys', { name, response: authenticator.create(options, lies) })
    },
    signInOptions: () => ask<WebAuthnOptions>('POST', '/auth/passkey/options', undefined, ''),
    signIn: (response: unknown) => send('POST', '/auth/passkey', { response }, ''),
  }
}
