import { join } from 'node:path'
import type { Door } from 'protocol'
import { type ApiTokens, createApiTokens } from '../../src/auth/api-tokens.ts'
import { SqliteApiTokenStore } from '../../src/store/sqlite/access/tokens.ts'
import { type Database, openDatabase } from '../../src/store/sqlite/database.ts'
import type { TestJarvis } from './start-jarvis.ts'

export type TokenOptions = { name?: string; doors?: Door[]; isReadOnly?: boolean; expiresInMs?: number }

/** A program's token, by default of the doors `mcp` and `v1` with the scope `ask`, made as the command line makes one, beside the running server. */
export const createToken = (jarvis: TestJarvis, options: TokenOptions = {}) =>
  besideIt(jarvis, (tokens) => newToken(tokens, options))

export const revokeToken = (jarvis: TestJarvis, name: string) =>
  besideIt(jarvis, (tokens) => tokens.revoke(name, 'cli'))

/** Makes a token in the data dir of any server. */
export function createTokenIn(dataDir: string, options: TokenOptions = {}, now = Date.now): string {
  const database = openDatabase(join(dataDir, 'jarvis.db'))
  try {
    return newToken(tokensIn(database, now), options)
  } finally {
    database.close()
  }
}

/** The tokens of a database, without a journal. */
export const tokensIn = (database: Database, now: () => number): ApiTokens =>
  createApiTokens({ store: new SqliteApiTokenStore(database), durably: database.durably, record: () => {}, now })

const newToken = (
  tokens: ApiTokens,
  { name = 'ops-laptop', doors = ['mcp', 'v1'], isReadOnly = false, ...rest }: TokenOptions,
) => tokens.create({ name, doors, scope: isReadOnly ? 'read' : 'ask', ...rest }, 'cli')

function besideIt<T>(jarvis: TestJarvis, work: (tokens: ApiTokens) => T): T {
  const database = openDatabase(join(jarvis.dataDir, 'jarvis.db'))
  try {
    return work(tokensIn(database, jarvis.now))
  } finally {
    database.close()
  }
}
