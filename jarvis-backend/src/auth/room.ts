import type { Registry } from 'house'
import { firstOwnerId, type Person, personOf } from 'protocol'
import type { People as GatePeople, KnownPerson } from '../calls/people.ts'
import type { Config } from '../config/config.ts'
import type { Foundation } from '../foundation.ts'
import { defineRoom, type FactTypes, type JarvisFacts, type Offboarding } from '../house.ts'
import { invitationRoutes } from '../http/invitations.ts'
import { peopleRoutes } from '../http/people.ts'
import { linkAt } from '../lib/link-at.ts'
import { SqliteLinkStore } from '../store/sqlite/access/links.ts'
import { SqlitePersonStore, SqliteSignInStore } from '../store/sqlite/access/people.ts'
import { SqliteSecondFactorStore } from '../store/sqlite/access/second-factor.ts'
import { Links } from './links.ts'
import { People } from './people.ts'
import { createOriginOf } from './public-origin.ts'
import { isAtLeast } from './roles.ts'
import { createSignInList } from './sign-in-list.ts'

/** The people who may sign in, and everything that ends when a person changes. Tells `notice.due` and `person.changed`. */
export const peopleRoom = defineRoom({
  name: 'people',
  open(needs: {
    foundation: Foundation
    config: Pick<Config, 'publicUrl' | 'signInIdleMs'>
    facts: JarvisFacts
    ownRoles(): readonly string[]
    offboarding: Pick<Registry<Offboarding>, 'list'>
  }) {
    const { foundation, config, facts, ownRoles, offboarding } = needs
    const people = openPeople(foundation, {
      ownRoles,
      offboarding,
      publicUrl: config.publicUrl,
      signInIdleMs: config.signInIdleMs,
      notice: facts.teller('notice.due'),
      personChanged: facts.teller('person.changed'),
    })
    facts.on('files.changed', people.look)
    return { people, contributes: { routes: people.peopleRoutes }, start: people.look }
  },
})

function openPeople(
  foundation: Pick<Foundation, 'database' | 'journal' | 'now' | 'activity' | 'announce'>,
  parts: {
    ownRoles(): readonly string[]
    /** Called within the transaction that takes a person's rights away. */
    offboarding: Pick<Registry<Offboarding>, 'list'>
    publicUrl: string | undefined
    signInIdleMs: number
    notice(due: FactTypes['notice.due']): void
    /** Reports a person whose rights are less or different, after the change. */
    personChanged(person: string): void
  },
) {
  const { database, journal, now, activity } = foundation
  const signIns = new SqliteSignInStore(database)
  const secondFactors = new SqliteSecondFactorStore(database)
  const signInList = createSignInList({ signIns, idleMs: parts.signInIdleMs, now })
  const people = new People({
    store: new SqlitePersonStore(database),
    durably: database.durably,
    record: (change) => void journal.append('person', change),
    ownRoles: parts.ownRoles,
    endSignIns: (person) => signIns.endAll(person),
    endOwning: (person) => links.void(person, 'Whoever made it is no owner any more.'),
    endChannels(person, why) {
      for (const { endAccess } of parts.offboarding.list()) endAccess?.(person, why)
    },
    leave(person, by) {
      for (const { leave } of parts.offboarding.list()) leave?.(person, by)
    },
    changed: (person) => database.afterCommit(() => tellAll(person)),
    now,
  })
  const links = new Links({
    store: new SqliteLinkStore(database),
    people,
    durably: database.durably,
    record: (change) => void journal.append('person', change),
    changed: () => database.afterCommit(listChanged),
    now,
  })
  const listChanged = () => activity.changed({ what: 'people' })
  function tellAll(person: string) {
    parts.personChanged(person)
    listChanged()
  }
  const originOf = createOriginOf(parts.publicUrl)
  const known = ({ id, name, role }: Person): KnownPerson => ({ id, name, role })
  const isIn = ({ disabledAt }: Person) => disabledAt === undefined
  return {
    people,
    /** The facts about people that the gate uses. */
    known: {
      find(id) {
        const person = people.inNameOf(id === undefined ? undefined : personOf(id))
        return person !== undefined && isIn(person) ? known(person) : undefined
      },
      list: () => people.list().filter(isIn).map(known),
    } satisfies GatePeople,
    peopleRoutes: [
      ...peopleRoutes({
        people,
        signIns: signInList,
        ownRoles: parts.ownRoles,
        hasSecondFactor: (id) => secondFactors.get(id) !== undefined,
      }),
      ...invitationRoutes({
        links,
        linkOf: (secret, request) => linkAt(parts.publicUrl ?? originOf(request), 'join', secret),
      }),
    ],
    links,
    signIns,
    signInList,
    /** True if a person may ask for anything now. @param id undefined: the first owner */
    mayAsk(id: string | undefined): boolean {
      const person = people.inNameOf(id)
      return person !== undefined && person.disabledAt === undefined && isAtLeast(person.role, 'member')
    },
    /** True if a person's devices get messages about a request of `asker`. Operators get them for all requests, members for their own. */
    hears(sub: string, asker: string | undefined): boolean {
      const person = people.inNameOf(personOf(sub))
      if (person === undefined || !isIn(person)) return false
      return isAtLeast(person.role, 'operator') || (isAtLeast(person.role, 'member') && person.id === asker)
    },
    /** Has everything that a person holds open checked again. */
    lookAt: tellAll,
    /** Checks for changes that another process made. */
    look() {
      tellAll(firstOwnerId)
      for (const name of links.untoldResets()) tellOfReset(name, foundation, parts.notice)
    },
  }
}
/** Tells everybody of a link for a new password, because the command line makes such a link without anybody seeing it. */
function tellOfReset(
  name: string,
  { announce }: Pick<Foundation, 'announce'>,
  notice: (due: FactTypes['notice.due']) => void,
): void {
  const text = `A link that sets a new password for ${name} was made at the command line. It counts for 15 minutes.`
  announce('person')(text, 'warning')
  notice({
    notice: {
      kind: 'sign-in',
      level: 'failed',
      title: 'A new password may be set',
      body: text,
      hidden: 'A link for a new password was made at the command line.',
      tag: `reset-${name}`,
      path: '/settings/people',
    },
  })
}

export type ComposedPeople = ReturnType<typeof openPeople>
