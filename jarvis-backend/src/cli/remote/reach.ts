import { type Door, JarvisError } from 'protocol'
import type { Config } from '../../config/config.ts'
import { openDataDir } from '../../config/data-dir.ts'
import { keepSecret, keptSecret } from '../../lib/kept-secret.ts'
import { type Ask, oneConnection } from '../../lib/one-connection.ts'
import { challengeHeader, isProof, newChallenge, proofHeader, serverProofKey } from '../../lib/server-proof.ts'
import { withData } from '../data.ts'
import { tokensIn } from '../token.ts'
import { keptLogin } from './logins.ts'
import { createRemote, nobodyAt, type Remote, ServerRefused } from './remote.ts'

/** The address at which the server of this machine listens. */
export function localUrl({ host, port }: Pick<Config, 'host' | 'port'>): string {
  const name = ['0.0.0.0', '::'].includes(host) ? '127.0.0.1' : host
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`
}

/** The token of the command line. Conversations use the API, calls use MCP. */
const commandLine = { name: 'command-line', file: 'command-line-token', doors: ['api', 'mcp'] } as const

/**
 * Connects to the server of this machine, or to the one that `url` names, with a token that can read and ask and can never decide. @throws
 * JarvisError `unauthorized` if nobody signed in to `url`
 */
export async function reach(config: Config, url?: string): Promise<Remote> {
  if (url !== undefined) {
    const { url: known, token } = keptLogin(url)
    return createRemote(known, token)
  }
  const local = localUrl(config)
  return createRemote(local, await localToken(config, commandLine), proverOf(config.dataDir, local))
}

const proofMs = 5_000

/**
 * Sends requests to a URL of this machine over a connection whose other end has proved to be the server of this data dir. A program that takes over
 * the port in between thus receives no secret. @returns a function that throws JarvisError `not_found` if nothing answers, `conflict` if another
 * program does
 */
export function proverOf(dataDir: string, url: string): Ask {
  const key = serverProofKey(openDataDir(dataDir))
  const port = Number(new URL(url).port || 80)
  return async (address, init) => {
    const challenge = newChallenge()
    const line = oneConnection()
    try {
      const health = await line
        .ask(`${url}/health`, { headers: { [challengeHeader]: challenge }, signal: AbortSignal.timeout(proofMs) })
        .catch((cause: unknown) => {
          throw nobodyAt(url, cause)
        })
      await health.arrayBuffer()
      if (!isProof(health.headers.get(proofHeader), { key, challenge, port }))
        throw new ServerRefused(
          'conflict',
          `What answers at ${url} did not prove that it is the JARVIS of ${dataDir}. Nothing secret was sent. If JARVIS was just updated, start it again; else see which program has that port.`,
        )
      return await line.ask(address, init)
    } catch (error) {
      line.end()
      throw error
    }
  }
}

/**
 * Returns the token that a command keeps in the data dir if it is still valid, otherwise a new one. The token can ask, and can never decide a
 * confirmation.
 */
export async function localToken(
  config: Config,
  of: { name: string; file: string; doors: readonly Door[] },
): Promise<string> {
  const dir = openDataDir(config.dataDir)
  let token = keptSecret(dir, of.file)
  await withData(config, (journal, database) => {
    const tokens = tokensIn(journal, database)
    try {
      for (const door of of.doors) if (token !== undefined) tokens.verify(token, door)
    } catch {
      token = undefined
    }
    token ??= database.durably(() => {
      if (tokens.list().some(({ name }) => name === of.name)) tokens.revoke(of.name, 'cli')
      const made = tokens.create({ name: of.name, doors: of.doors, scope: 'ask' }, 'cli')
      keepSecret(dir, of.file, made)
      return made
    })
  })
  if (token === undefined) throw new JarvisError('internal', 'There is no token.')
  return token
}
