import { createMcpTokens, type McpToken, type McpTokens } from '../auth/mcp-tokens.ts'
import type { Config } from '../config/config.ts'
import { JarvisError } from '../protocol/index.ts'
import { createMcpTokenStore } from '../store/sqlite/access/tokens.ts'
import type { Database } from '../store/sqlite/database.ts'
import type { KeptJournal } from '../store/sqlite/journal/kept.ts'
import { withData } from './data.ts'
import { durationMs, readOptions } from './options.ts'

/** `jarvis mcp-token`: creates, lists and revokes tokens in the data dir, with or without a running server. */
export async function mcpToken(config: Config, args: string[]): Promise<void> {
  const { values, positionals } = readOptions(args, { 'read-only': { type: 'boolean' }, expires: { type: 'string' } })
  const [action, name = ''] = positionals
  await withData(config, (journal, database) => {
    const tokens = createMcpTokens(createMcpTokenStore(database), Date.now)
    switch (action) {
      case 'create': {
        const expiresInMs = values.expires === undefined ? undefined : durationMs('--expires', values.expires)
        const rights = { isReadOnly: values['read-only'] === true, ...(expiresInMs !== undefined && { expiresInMs }) }
        create({ tokens, journal, database }, name, rights)
        return
      }
      case 'list': {
        const all = tokens.list()
        console.log(all.length === 0 ? 'No MCP tokens. Make one with: mcp-token create NAME' : all.map(line).join('\n'))
        return
      }
      case 'revoke':
        revoke({ tokens, journal, database }, name)
        return
      default:
        throw new JarvisError('invalid_request', 'Use mcp-token create NAME, mcp-token list, or mcp-token revoke NAME.')
    }
  })
}

type Kept = { tokens: McpTokens; journal: KeptJournal; database: Database }

function create(
  { tokens, journal, database }: Kept,
  name: string,
  rights: { isReadOnly: boolean; expiresInMs?: number },
) {
  const token = database.durably(() => {
    const made = tokens.create({ name, ...rights })
    journal.append('token', { change: 'created', name, ...rights, by: 'cli' })
    return made
  })
  console.log(token)
  console.error('Keep it now: it is not shown again. It may call tools, and can never approve one.')
}

function revoke({ tokens, journal, database }: Kept, name: string) {
  database.durably(() => {
    if (!tokens.revoke(name)) {
      throw new JarvisError('not_found', `There is no MCP token ${name}. mcp-token list shows them.`)
    }
    journal.append('token', { change: 'revoked', name, by: 'cli' })
  })
  console.log(`Revoked ${name}.`)
}

const day = (at: number | undefined, none: string) =>
  at === undefined ? none : new Date(at).toISOString().slice(0, 16).replace('T', ' ')

const line = ({ name, clientName, isReadOnly, expiresAt, lastUsedAt }: McpToken) =>
  `${name}  ${isReadOnly ? 'read only' : 'read and ask'}  expires ${day(expiresAt, 'never')}  last used ${day(lastUsedAt, 'never')}${clientName === undefined ? '' : `  of ${clientName}, signed in`}`
