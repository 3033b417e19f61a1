import { createElsewhere } from '../auth/elsewhere.ts'
import { createElsewherePlace } from '../auth/elsewhere-place.ts'
import { createForeignAccounts, foreignMethod } from '../auth/foreign-accounts.ts'
import { createOidcProvider } from '../auth/oidc-provider.ts'
import type { Config } from '../config/config.ts'
import type { SignInElsewhere } from '../http/elsewhere.ts'
import type { Site } from '../site.ts'
import { createForeignAccountStore } from '../store/sqlite/access/foreign-accounts.ts'

/** Wires signing in with an account of another service. @param look ends what counts no longer */
export function composeElsewhere(
  site: Pick<Site, 'activity' | 'database' | 'journal' | 'now' | 'people' | 'report' | 'signIns'>,
  { oidc, publicUrl }: Pick<Config, 'oidc' | 'publicUrl'>,
  look: () => void,
): SignInElsewhere {
  const { activity, database, journal, now, people, report, signIns } = site
  const accounts = createForeignAccounts({
    store: createForeignAccountStore(database),
    people,
    durably: database.durably,
    now,
    record: (change) => void journal.append('person', change),
    endSignIns(person) {
      for (const { id, method } of signIns.list(person)) if (method === foreignMethod) signIns.end(id)
    },
    changed: () =>
      database.afterCommit(() => {
        activity.changed({ what: 'people' })
        look()
      }),
  })
  return {
    accounts,
    place: createElsewherePlace(publicUrl),
    elsewhere: oidc && createElsewhere({ provider: createOidcProvider({ ...oidc, now, report }), now }),
  }
}
