import type { Config } from '../../config/config.ts'
import { openDataDir } from '../../config/data-dir.ts'
import { keepSecret, keptSecret } from '../../lib/kept-secret.ts'
import { type Door, JarvisError } from '../../protocol/index.ts'
import { withData } from '../data.ts'
import { tokensIn } from '../token.ts'
import { keptLogin } from './logins.ts'
import { createRemote, type Remote } from './remote.ts'

/** Where the server of this machine listens. */
export function localUrl({ host, port }: Pick<Config, 'host' | 'port'>): string {
  const name = ['0.0.0.0', '::'].includes(host) ? '127.0.0.1' : host
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`
}

/** Its own conversations are asked over the API, its calls over MCP. */
const commandLine = { name: 'command-line', file: 'command-line-token', doors: ['api', 'mcp'] } as const

/**
 * The server of this machine, or the one that `url` names, with a token that reads and asks and can never decide.
 * @throws JarvisError `unauthorized` where nobody signed in to `url`
 */
export async function reach(config: Config, url?: string): Promise<Remote> {
  if (url !== undefined) {
    const { url: known, token } = keptLogin(url)
    return createRemote(known, token)
  }
  return createRemote(localUrl(config), await localToken(config, commandLine))
}

/** The token that a command keeps in the data dir, if it is still valid, else a new one. It may ask, and can never decide a confirmation. */
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
