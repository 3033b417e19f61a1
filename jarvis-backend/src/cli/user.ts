import { utimesSync } from 'node:fs'
import { firstOwnerId, type Invitation, JarvisError, type Person } from 'protocol'
import { invitationMs, resetMs } from '../auth/links.ts'
import { removeSecondFactor, type SecondFactorChange } from '../auth/second-factor.ts'
import type { Config } from '../config/config.ts'
import { linkAt } from '../lib/link-at.ts'
import { SqliteSecondFactorStore } from '../store/sqlite/access/second-factor.ts'
import { withData } from './data.ts'
import type { Input } from './options.ts'
import { peopleIn } from './people-in.ts'

const usage =
  'Use user list, invite ROLE [NAME], withdraw ID, role NAME ROLE, disable NAME, enable NAME, remove NAME, reset NAME, drop-code NAME, or sign-out NAME.'
const by = 'cli'

/** `jarvis user`: manages the people of the data dir, with or without a running server. A running server applies a change from the next request. */
export async function user(config: Config, { values, positionals }: Input<{ json?: boolean }>): Promise<void> {
  const [action = 'list', ...names] = positionals
  const most = action === 'list' ? 0 : action === 'invite' || action === 'role' ? 2 : 1
  const least = action === 'invite' ? 1 : most
  if (names.length < least || names.length > most) throw new JarvisError('invalid_request', usage)
  await withData(config, (journal, database) => {
    const { people, links, signIns } = peopleIn(config.dataDir, journal, database)
    const named = (name = ''): Person => {
      const known = people.byName(name)
      if (known !== undefined) return known
      const all = people.list().map((person) => person.name)
      throw new JarvisError('not_found', `There is nobody called ${name}. There are: ${all.join(', ')}.`)
    }
    const [name, role = ''] = names
    switch (action) {
      case 'list': {
        const rows = people.list().map((person) => ({ ...person, signIns: signIns.list(person.id).length }))
        const open = links.invitations()
        if (values.json === true) console.log(JSON.stringify({ people: rows, invitations: open }, null, 2))
        else console.log([...rows.map(line), ...open.map(invitationLine)].join('\n'))
        return
      }
      case 'invite': {
        const { secret } = links.invite({ role: name ?? '', ...(role !== '' && { name: role }) }, by)
        console.log(linkAt(baseOf(config), 'join', secret))
        console.error(`It is used once, within ${invitationMs / 3_600_000} h, and is not shown again.`)
        const [only, another] = people.list()
        if (only !== undefined && another === undefined)
          console.error(
            `Once it is used, the sign-in page asks for a name. Yours is ${only.name}; without a name you sign in too.`,
          )
        break
      }
      case 'withdraw':
        links.withdraw(name ?? '', by)
        console.log('Withdrawn.')
        break
      case 'role':
        people.change(named(name).id, { role }, by)
        console.log(`${name} is ${role} now.`)
        break
      case 'disable':
      case 'enable':
        people.change(named(name).id, { disabled: action === 'disable' }, by)
        console.log(action === 'disable' ? `${name} cannot sign in any more.` : `${name} can sign in again.`)
        break
      case 'remove':
        people.remove(named(name).id, by)
        console.log(`Removed ${name}, with sign-ins, tokens, passkeys, grants and devices. Their jobs are paused.`)
        break
      case 'sign-out':
        people.signOut(named(name).id, by)
        console.log(`${name} is signed out everywhere.`)
        break
      case 'drop-code': {
        const { durably } = database
        const record = (change: SecondFactorChange) => void journal.append('person', change)
        const isGone = removeSecondFactor(
          { store: new SqliteSecondFactorStore(database), durably, record },
          named(name).id,
          by,
        )
        console.log(isGone ? `${name} signs in with the password alone now.` : `${name} has no second factor.`)
        break
      }
      case 'reset': {
        const person = named(name)
        if (person.id === firstOwnerId && config.password !== undefined) {
          throw new JarvisError('conflict', `JARVIS_PASSWORD sets the password of ${person.name}. Change it there.`)
        }
        if (person.disabledAt !== undefined) {
          throw new JarvisError('conflict', `${person.name} is disabled. First: user enable ${person.name}`)
        }
        console.log(linkAt(baseOf(config), 'reset', links.reset(person.id, by).secret))
        console.error(
          `It sets a new password once, within ${resetMs / 60_000} min, and ends every sign-in of ${person.name}. People who are signed in are told.`,
        )
        break
      }
      default:
        throw new JarvisError('invalid_request', usage)
    }
    // A running server watches the data dir. Touching it makes the server check for changes at once.
    const now = new Date()
    utimesSync(config.dataDir, now, now)
  })
}

/** The address at which people open the dashboard. */
function baseOf({ publicUrl, host, port }: Config): string {
  if (publicUrl !== undefined) return publicUrl
  const isHere = ['0.0.0.0', '::', '127.0.0.1', '::1'].includes(host)
  return `http://${isHere ? 'localhost' : host.includes(':') ? `[${host}]` : host}:${port}`
}

const minute = (at: number) => new Date(at).toISOString().slice(0, 16).replace('T', ' ')
const line = ({ name, role, disabledAt, lastSeenAt, signIns }: Person & { signIns: number }) =>
  [
    name,
    role,
    ...(disabledAt === undefined ? [] : [`disabled since ${minute(disabledAt)}`]),
    `signed in ${signIns === 1 ? 'once' : `${signIns} times`}`,
    lastSeenAt === undefined ? 'never seen' : `last seen ${minute(lastSeenAt)}`,
  ].join('  ')
const invitationLine = ({ id, role, name, expiresAt }: Invitation) =>
  `invited: ${name ?? 'somebody'}  ${role}  until ${minute(expiresAt)}  ${id}`
