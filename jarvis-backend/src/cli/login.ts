import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import { JarvisError } from 'protocol'
import type { Config } from '../config/config.ts'
import type { Input } from './options.ts'
import { addressOf, keepLogin } from './remote/logins.ts'
import { asOperatorOnce } from './remote/operator.ts'
import { createRemote } from './remote/remote.ts'

/** `jarvis login --url`: makes a token on another JARVIS with the password, and stores it. The token can read and ask, and can never decide. */
export async function login(_config: Config, { values }: Input<{ url?: string }>): Promise<void> {
  if (values.url === undefined)
    throw new JarvisError('invalid_request', 'Use login --url URL. On this machine no sign-in is needed.')
  const url = addressOf(values.url)
  const name = `cli-${hostname()
    .replace(/[^A-Za-z0-9._-]/g, '-')
    .slice(0, 40)}-${randomBytes(3).toString('hex')}`
  const token = await asOperatorOnce(createRemote(url, undefined), 'Signing in', async (operator, stepUp) => {
    await stepUp()
    const made = await operator.call('POST /api/tokens', {
      body: { name, doors: ['api', 'mcp'], scope: 'ask' },
    })
    return made.token
  })
  console.error(
    `Signed in to ${url} as ${name}, in ${keepLogin(url, token)}. It may read and ask; deciding takes the password.`,
  )
}
