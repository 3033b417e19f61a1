import { FilePolicy } from '../calls/active-policy.ts'
import type { Config } from '../config/config.ts'
import { policyPath, readPolicy } from '../config/policy-file.ts'
import type { Foundation } from '../foundation.ts'
import type { ComposedHomelab } from '../homelab/room.ts'
import { defineRoom, type JarvisFacts } from '../house.ts'
import { SqlitePersonStore } from '../store/sqlite/access/people.ts'
import type { Tool } from '../tools/tool.ts'
import { builtInRoleNames } from './policy/roles-schema.ts'

/** The policy in force: shipped rules, policy.yaml and the profile. Listens for `files.changed`. */
export const policyRoom = defineRoom({
  name: 'policy',
  open(needs: {
    foundation: Foundation
    config: Pick<Config, 'protectedTargets'>
    facts: JarvisFacts
    homelab: Pick<ComposedHomelab, 'shownAsProtected' | 'nodeRoles'>
    /** The tools of attached servers, which may change at any time. */
    attachedTools(): readonly Tool[]
  }) {
    const { dataDir, writtenPolicy, database, settings, journal, activity, announce } = needs.foundation
    const persons = new SqlitePersonStore(database)
    const policy = new FilePolicy({
      written: writtenPolicy,
      hasTool: (name) => needs.attachedTools().some((tool) => tool.name === name),
      people: { list: () => persons.list().filter(({ disabledAt }) => disabledAt === undefined) },
      protectedTargets: needs.config.protectedTargets,
      shownAsProtected: needs.homelab.shownAsProtected,
      nodeRoles: needs.homelab.nodeRoles,
      settings,
      journal,
      transactions: database,
      announce(text, level) {
        announce('policy')(text, level)
        activity.changed({ what: 'settings' })
      },
    })
    /** Reads policy.yaml from disk again. */
    const reload = () => policy.edited(readPolicy(policyPath(dataDir), 'policy.yaml'))
    needs.facts.on('files.changed', reload)
    return {
      policy,
      reload,
      /** The names of the roles that policy.yaml defines. */
      ownRoles: () =>
        [...policy.current().roles.keys()].filter((name) => !builtInRoleNames.some((one) => one === name)),
    }
  },
})
