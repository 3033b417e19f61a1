import { setTimeout as sleep } from 'node:timers/promises'
import { type AttachedServer, JarvisError } from 'protocol'
import type { Config } from '../config/config.ts'
import { asOperatorOnce } from './remote/operator.ts'
import { reach } from './remote/reach.ts'
import type { Remote } from './remote/remote.ts'
import { visible } from './terminal/visible.ts'

const usage = 'Use mcp servers, mcp sign-in NAME, or mcp sign-out NAME.'
const lookEveryMs = 2_000
/** The time that JARVIS waits for the answer of an OAuth sign-in, ms. */
const longestMs = 10 * 60_000

/** `jarvis mcp servers`, `sign-in` and `sign-out`: lists attached servers, and manages their sign-ins. */
export async function mcpServers(config: Config, [action, name]: string[], url: string | undefined): Promise<void> {
  const remote = await reach(config, url)
  if (action === 'servers') {
    const { items, problems } = await asOperatorOnce(remote, 'Attached servers', (operator) => listed(operator))
    console.log([...items.flatMap(linesOf), ...problems.map(visible)].join('\n') || 'No attached servers.')
    return
  }
  if ((action !== 'sign-in' && action !== 'sign-out') || name === undefined)
    throw new JarvisError('invalid_request', usage)
  if (action === 'sign-out') {
    await asOperatorOnce(remote, 'Signing out', async (operator) => {
      await operator.call('POST /api/mcp-servers/:name/sign-out', { params: { name } })
      return true
    })
    console.log(`Signed out of ${name}.`)
    return
  }
  await asOperatorOnce(remote, 'Signing in', async (operator, stepUp) => {
    await stepUp()
    const before = (await signInOf(operator, name))?.at
    const { address, issuer, scopes } = await operator.call('POST /api/mcp-servers/:name/sign-in', { params: { name } })
    console.error(
      `Open this address in a browser within ten minutes. It leads to ${visible(issuer)}${scopes.length === 0 ? '' : `, which is asked for: ${visible(scopes.join(', '))}`}. Ctrl-C leaves; the sign-in goes on.`,
    )
    console.log(address)
    for (const end = Date.now() + longestMs; Date.now() < end; await sleep(lookEveryMs)) {
      const signIn = await signInOf(operator, name)
      if (signIn?.at === undefined || signIn.at === before || signIn.state === 'again') continue
      console.error(`Signed in to ${name}.`)
      return true
    }
    throw new JarvisError('expired', 'Nobody signed in within ten minutes. Begin again.')
  })
}

const listed = (operator: Remote) => operator.call('GET /api/mcp-servers')
const signInOf = async (operator: Remote, name: string) =>
  (await listed(operator)).items.find((server) => server.name === name)?.signIn

const words = {
  needed: 'needs a sign-in',
  signed_in: 'signed in',
  again: 'sign in again',
  more: 'asks for more rights',
}
const minute = (at: number) => `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`

/** The state of an attached server, and the parts of it that cannot be used, one line each. */
export function linesOf(server: AttachedServer): string[] {
  const { name, type, state, signIn, goneSince, reconnectedAt, lastError, retryAt, tools, refused } = server
  const parts = [
    ...[name, type, state],
    ...(signIn === undefined ? [] : [words[signIn.state]]),
    ...(state === 'connected' ? [`${tools.length} ${tools.length === 1 ? 'tool' : 'tools'}`] : []),
    ...(goneSince === undefined ? [] : [`gone since ${minute(goneSince)}`]),
    ...(reconnectedAt === undefined ? [] : [`reconnected ${minute(reconnectedAt)}`]),
    ...(retryAt === undefined ? [] : [`tried again ${minute(retryAt)}`]),
  ]
  const wants = signIn?.state === 'more' ? [`it asks for ${signIn.wants.join(', ')}`] : []
  const problems = [
    ...(state === 'connected' || lastError === undefined ? [] : [lastError.message]),
    ...(signIn?.problem === undefined ? wants : [...wants, signIn.problem]),
    ...refused.map(({ toolName, problem }) => `${toolName} is refused: ${problem}`),
  ]
  return [parts.join('  '), ...problems.map((problem) => `    ${problem}`)].map(visible)
}
