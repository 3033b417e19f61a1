import { Door, JarvisError, RequestsPerMinute, TokenArea, TokenScope } from 'protocol'
import { type ApiToken, type ApiTokens, createApiTokens, type NewApiToken } from '../auth/api-tokens.ts'
import type { Config } from '../config/config.ts'
import { SqliteApiTokenStore } from '../store/sqlite/access/tokens.ts'
import type { Database } from '../store/sqlite/database.ts'
import type { KeptJournal } from '../store/sqlite/journal/kept.ts'
import { withData } from './data.ts'
import { durationMs, type Input } from './options.ts'

/** `jarvis token`: creates, lists and revokes tokens of programs in the data dir, with or without a running server. */
export async function token(
  config: Config,
  { values, positionals }: Input<{ door?: string; scope?: string; rate?: string; expires?: string }>,
): Promise<void> {
  await act({ config, command: 'token' }, positionals, {
    expires: values.expires,
    rights: () => {
      const doors = (values.door ?? '').split(',').map((word) => word.trim())
      const wrong = doors.find((word) => !Door.safeParse(word).success)
      if (wrong !== undefined) {
        throw new JarvisError(
          'invalid_request',
          `--door takes ${Door.options.join(', ')}, or several with commas, for example --door v1,api.`,
        )
      }
      return { doors: doors as Door[], ...scopeOf(values.scope ?? 'read'), ...rateOf(values.rate) }
    },
  })
}

/** Reads a scope and areas with commas. @throws JarvisError `invalid_request` */
function scopeOf(given: string): Pick<NewApiToken, 'scope' | 'areas'> {
  const words = given.split(',').map((word) => word.trim())
  const areas = words.flatMap((word) => TokenArea.safeParse(word).data ?? [])
  const scopes = words.flatMap((word) => TokenScope.safeParse(word).data ?? [])
  if (scopes.length > 1 || scopes.length + areas.length < words.length)
    throw new JarvisError(
      'invalid_request',
      `--scope takes read or ask, and with commas ${TokenArea.options.join(', ')}, for example --scope ask,memory:write.`,
    )
  const [scope = 'read'] = scopes
  return { scope, areas }
}

/** @throws JarvisError `invalid_request` */
function rateOf(rate: string | undefined): Pick<NewApiToken, 'requestsPerMinute'> {
  if (rate === undefined) return {}
  const read = RequestsPerMinute.safeParse(/^\d+$/.test(rate) ? Number(rate) : undefined)
  if (!read.success) throw new JarvisError('invalid_request', '--rate takes requests a minute, for example --rate 60.')
  return { requestsPerMinute: read.data }
}

/** `jarvis mcp-token`: the same as `jarvis token`, for tokens of the door `mcp`. */
export async function mcpToken(
  config: Config,
  { values, positionals }: Input<{ 'read-only'?: boolean; expires?: string }>,
): Promise<void> {
  await act({ config, command: 'mcp-token' }, positionals, {
    expires: values.expires,
    rights: () => ({
      doors: ['mcp'],
      scope: values['read-only'] === true ? 'read' : 'ask',
    }),
  })
}

type NewToken = {
  expires: string | undefined
  /** Used only by the action `create`. */
  rights(): Pick<NewApiToken, 'doors' | 'scope' | 'areas' | 'requestsPerMinute'>
}

/** Runs one action of the command. */
async function act(
  { config, command }: { config: Config; command: string },
  [action, name = '']: string[],
  { expires, rights }: NewToken,
) {
  await withData(config, (journal, database) => {
    const tokens = tokensIn(journal, database)
    switch (action) {
      case 'create': {
        const expiry = expires === undefined ? {} : { expiresInMs: durationMs('--expires', expires) }
        console.log(tokens.create({ name, ...rights(), ...expiry }, 'cli'))
        console.error('Keep it now: it is not shown again. It can never approve a call.')
        return
      }
      case 'list': {
        const all = tokens.list()
        console.log(
          all.length === 0 ? 'No tokens. Make one with: token create NAME --door mcp' : all.map(line).join('\n'),
        )
        return
      }
      case 'revoke':
        tokens.revoke(name, 'cli')
        console.log(`Revoked ${name}.`)
        return
      default:
        throw new JarvisError(
          'invalid_request',
          `Use ${command} create NAME, ${command} list, or ${command} revoke NAME.`,
        )
    }
  })
}

/** The tokens of an open data dir. */
export const tokensIn = (journal: KeptJournal, database: Database): ApiTokens =>
  createApiTokens({
    store: new SqliteApiTokenStore(database),
    durably: database.durably,
    record: (change) => void journal.append('token', change),
    now: Date.now,
  })

const day = (at: number | undefined, none: string) =>
  at === undefined ? none : new Date(at).toISOString().slice(0, 16).replace('T', ' ')

const line = ({
  name,
  doors,
  scope,
  areas = [],
  hint,
  clientName,
  expiresAt,
  lastUsedAt,
  calls,
  requestsPerMinute,
}: ApiToken) =>
  [
    hint === undefined ? name : `${name} …${hint}`,
    `doors ${doors.join(', ')}`,
    [scope === 'read' ? 'read only' : 'read and ask', ...areas].join(', '),
    ...(requestsPerMinute === undefined ? [] : [`${requestsPerMinute} a minute`]),
    `calls ${calls}`,
    `expires ${day(expiresAt, 'never')}`,
    `last used ${day(lastUsedAt, 'never')}`,
    ...(clientName === undefined ? [] : [`of ${clientName}, signed in`]),
  ].join('  ')
