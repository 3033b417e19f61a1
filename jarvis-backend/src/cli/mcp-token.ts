import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createMcpTokens, type McpToken } from '../auth/mcp-tokens.ts'
import type { Config } from '../config/config.ts'
import { openDataDir } from '../config/data-dir.ts'
import { JarvisError } from '../protocol/index.ts'
import { openDatabase } from '../store/sqlite/database.ts'
import { createMcpTokenStore } from '../store/sqlite/tokens.ts'

/** Works on the data dir itself, so it needs no running server, and minds none. */
export function mcpToken(config: Config, args: string[]) {
  const { values, positionals } = parse(args)
  const [action, name = ''] = positionals
  const database = openDatabase(join(openDataDir(config.dataDir), 'jarvis.db'))
  try {
    const tokens = createMcpTokens(createMcpTokenStore(database), Date.now)
    if (action === 'create') {
      const expiresInMs = values.expires === undefined ? undefined : durationMs(values.expires)
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

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: { 'read-only': { type: 'boolean' }, expires: { type: 'string' } },
    })
  } catch (cause) {
    throw new JarvisError('invalid_request', cause instanceof Error ? cause.message : String(cause), { cause })
  }
}

const unitMs = { h: 3_600_000, d: 86_400_000, w: 604_800_000 }

function durationMs(text: string): number {
  const [, count, unit] = /^([1-9]\d{0,3})([hdw])$/.exec(text) ?? []
  if (count === undefined)
    throw new JarvisError('invalid_request', '--expires takes hours, days or weeks, for example 12h, 30d, 8w.')
  return Number(count) * unitMs[unit as keyof typeof unitMs]
}

const day = (at: number | undefined, none: string) =>
  at === undefined ? none : new Date(at).toISOString().slice(0, 16).replace('T', ' ')

const line = ({ name, isReadOnly, expiresAt, lastUsedAt }: McpToken) =>
  `${name}  ${isReadOnly ? 'read only' : 'read and ask'}  expires ${day(expiresAt, 'never')}  last used ${day(lastUsedAt, 'never')}`
