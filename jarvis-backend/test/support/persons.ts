import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import jwt from 'jsonwebtoken'
import type { Door, TokenArea } from 'protocol'
import { onTestFinished } from 'vitest'
import { createPasswordHasher } from '../../src/auth/passwords.ts'
import { SqlitePersonStore } from '../../src/store/sqlite/access/people.ts'
import { openDatabase } from '../../src/store/sqlite/database.ts'
import { tokensIn } from './api-tokens.ts'
import { jwtSecret, password, startJarvis } from './start-jarvis.ts'

export const standings = ['viewer', 'member', 'operator', 'owner'] as const
export type Standing = (typeof standings)[number]

/** The role of the one member: a container, and nothing else. */
export const membersRole = 'minecraft'
export const householdPolicy = `
roles:
  ${membersRole}: [{may: restart, on: ct/130}]
`
const roleOf = (standing: Standing) => (standing === 'member' ? membersRole : standing)

let signed = 0
/** A person's token; no two are the same. */
export const tokenOf = (sub: string): string =>
  jwt.sign({ sub, role: 'operator' }, jwtSecret, { issuer: 'jarvis', expiresIn: 3600 + signed++ })
export const as = (sub: string) => ({ headers: { authorization: `Bearer ${tokenOf(sub)}` } })

type ProgramToken = { doors?: Door[]; name?: string; areas?: readonly TokenArea[] }

/** A server with a person of each standing, `per_viewer` to `per_owner`, and of names beside them, who all have the first owner's password. */
export async function household(
  options: Parameters<typeof startJarvis>[0] & { policy?: string; others?: Record<string, string> } = {},
) {
  const { policy = householdPolicy, others = {}, ...more } = options
  const dataDir = more.dataDir ?? mkdtempSync(join(tmpdir(), 'jarvis-people-'))
  writeFileSync(join(dataDir, 'policy.yaml'), policy)
  const jarvis = await startJarvis({ ...more, dataDir })
  const database = openDatabase(join(dataDir, 'jarvis.db'))
  const atEnd = options.atEnd ?? onTestFinished
  atEnd(async () => void database.close())
  const people = new SqlitePersonStore(database)
  const hash = createPasswordHasher({ memoryKib: 8, passes: 1, lanes: 1 }).hashNow(password)
  const all = [...standings.map((one) => [one, roleOf(one)] as const), ...Object.entries(others)]
  for (const [name, role] of all) {
    // The first owner is called operator already.
    const added = people.add({ id: `per_${name}`, name: `the-${name}`, role, createdAt: 1 }, hash)
    if (!added) throw new Error(`${name} was not added`)
  }
  const tokens = tokensIn(database, jarvis.now)
  return {
    jarvis,
    people,
    /** A token of a program that the person made. */
    program(
      person: string,
      scope: 'read' | 'ask',
      { doors = ['mcp', 'v1', 'api', 'metrics'], name = '', areas }: ProgramToken = {},
    ) {
      const given = name || [person.slice(4), scope, ...doors, ...(areas ?? [])].join('-').replaceAll(':', '.')
      return tokens.create({ name: given, doors, scope, areas }, person)
    },
    revoke: (name: string) => tokens.revoke(name, 'cli'),
  }
}
