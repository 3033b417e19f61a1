import { join } from 'node:path'
import { createMcpTokens, type McpToken } from '../auth/mcp-tokens.ts'
import type { Config } from '../config/config.ts'
import { openDataDir } from '../config/data-dir.ts'
import { JarvisError } from '../protocol/index.ts'
import { openDatabase } from '../store/sqlite/database.ts'
import { createMcpTokenStore } from '../store/sqlite/tokens.ts'
import { durationMs, readOptions } from './options.ts'

/** Works on the data dir itself, so it needs no running server, and minds none. */
export function mcpToken(config: Config, args: string[]) {
  const { values, positionals } = readOptions(args, { 'read-only': { type: 'boolean' }, expires: { type: 'string' } })
  const [action, name = ''] = positionals
  const database = openDatabase(join(openDataDir(config.dataDir), 'jarvis.db'))
  try {
    const tokens = createMcpTokens(createMcpTokenStore(database), Date.now)
    if (action === 'create') {
      const expiresInMs = values.expires === undefined ? undefined : durationMs('--expires', values.expires)
      const token = tokens.create({
        name,
        isReadOnly: values['read-only'] === true,
        ...(expiresInMs !== undefined && { expiresInMs }),
      })
      console.log(token)
      console.error('Keep it now: it is not shown again. It may call tools, and can never approve one.')
    } else if (action === 'list') {
      const all = tokens.list()
      console.log(all.length === 0 ? 'No MCP tokens. Make one with: mcp-token create NAME' : all.map(line).join('\n'))
    } else if (action === 'revoke') {
      if (!tokens.revoke(name))
        throw new JarvisError('not_found', `There is no MCP token ${name}. mcp-token list shows them.`)
      console.log(`Revoked ${name}.`)
    } else {
      throw new JarvisError('invalid_request', 'Use mcp-token create NAME, mcp-token list, or mcp-token revoke NAME.')
    }
  } finally {
    database.close()
  }
}

const day = (at: number | undefined, none: string) =>
  at === undefined ? none : new Date(at).toISOString().slice(0, 16).replace('T', ' ')

const line = ({ name, isReadOnly, expiresAt, lastUsedAt }: McpToken) =>
  `${name}  ${isReadOnly ? 'read only' : 'read and ask'}  expires ${day(expiresAt, 'never')}  last used ${day(lastUsedAt, 'never')}`
