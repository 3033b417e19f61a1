import { join } from 'node:path'
import { JarvisError, mainAgentId } from 'protocol'
import { type Agent, type Agents, agentIdOf, fits } from '../agents/agent.ts'
import { agentDir } from '../agents/agent-dir.ts'
import type { Foundation } from '../foundation.ts'
import { defineRoom } from '../house.ts'
import { skillRoutes } from '../http/skills.ts'
import { onceATick } from '../lib/once-a-tick.ts'
import { onceFor } from '../lib/once-for.ts'
import { createSkillStore } from '../store/sqlite/skills.ts'
import type { Catalog } from '../tools/catalog.ts'
import { useSkill, wrappedSkill } from '../tools/skills/use-skill.ts'
import { type Tool, withPorts } from '../tools/tool.ts'
import { createFolders, type Folders } from './folders.ts'
import { createSkills, type Skills } from './library.ts'
import { noReach, type Reach, reachOf } from './reach.ts'
import { isCommand } from './reserved.ts'
import { shippedSkills } from './shipped/index.ts'
import { createTrees } from './tree.ts'

const nothing: ReadonlyMap<string, string> = new Map()

/** A turn of a model asks several times in a row which skills there are; looking at each folder each time took a third of its CPU time. */
function readOnceATick(folders: Folders): Folders {
  const all = onceATick(folders.all)
  return {
    ...folders,
    all: all.get,
    add(name, text) {
      all.forget()
      folders.add(name, text)
    },
    remove(name) {
      all.forget()
      folders.remove(name)
    },
  }
}

/** The skills of the workspace and of the agents: what is approved, the tool that loads them, the catalogues of prompts, routes. */
export const skillsRoom = defineRoom({
  name: 'skills',
  open(needs: { foundation: Foundation; catalog: Catalog; agents: Agents }) {
    const skills = openSkills(needs.foundation, needs)
    return { skills, contributes: { routes: skills.routes.skills }, resume: skills.main.ship }
  },
})

function openSkills(foundation: Foundation, parts: { catalog: Catalog; agents: Agents }) {
  const { dataDir, database, settings, journal, redactor, activity, now } = foundation
  const reserved = (name: string) =>
    isCommand(name) || parts.catalog.get(name) !== undefined
      ? `/${name} is a command of JARVIS: give the skill another name.`
      : undefined
  const libraryOf = (owner: string) =>
    createSkills({
      folders: readOnceATick(
        createFolders({ dir: join(agentDir(dataDir, owner), 'skills'), trees: createTrees(), reserved }),
      ),
      store: createSkillStore(database, owner),
      shipped: owner === mainAgentId ? shippedSkills : nothing,
      settings,
      durably: database.durably,
      record: (change) => journal.append('skill', { ...change, ...(owner !== mainAgentId && { agent: owner }) }),
      changed: () => activity.changed({ what: 'skills' }),
      now,
    })
  const libraries = new Map<string, Skills>()
  /** The skills of an agent's own folder; main's are those of the workspace. */
  function ownOf(owner: string): Skills {
    const known = libraries.get(owner) ?? libraryOf(owner)
    libraries.set(owner, known)
    return known
  }
  const main = ownOf(mainAgentId)

  const reaches = new Map<string, { of: Agent; reach: Reach; tool: () => readonly Tool[] }>()
  function known(agent: Agent) {
    const before = reaches.get(agent.id)
    if (before?.of === agent) return before
    const shared = { skills: main, mayUse: (name: string) => agent.skills?.some((one) => fits(one, name)) ?? true }
    const isMain = agent.id === mainAgentId
    const reach = reachOf(isMain ? [shared] : [{ skills: ownOf(agent.id), mayUse: () => true }, shared])
    // The schema names the enabled skills, as long as the catalogue names them all.
    const tool = onceFor(reach.catalogue, ({ named, missing }) =>
      withPorts([useSkill(missing.length === 0 ? named : [])], ports),
    )
    const made = { of: agent, reach, tool }
    reaches.set(agent.id, made)
    return made
  }
  const reachOfId = (id: string): Reach => {
    const agent = parts.agents.find(id)
    return agent === undefined ? noReach : known(agent).reach
  }
  const ports = { of: (asker: Parameters<typeof agentIdOf>[0] | undefined) => reachOfId(agentIdOf(asker ?? {})) }
  /** As every door but an agent's own chat sees it. */
  const [declared] = withPorts([useSkill([])], ports)

  return {
    main,
    /** What an agent's prompt says of skills. */
    textFor: (agent: Agent) => known(agent).reach.catalogue().text,
    /** The tool as an agent's models are offered it; undefined where it has no skill. */
    toolFor: (agent: Agent) => (known(agent).reach.enabled().length === 0 ? undefined : known(agent).tool()[0]),
    /** A catalog with the tool at its end. It is listed as main has it; an agent's models see their own. */
    withTool(house: Catalog): Catalog {
      let made: { from: readonly Tool[]; own: Tool | undefined; all: readonly Tool[] } | undefined
      return {
        list() {
          const from = house.list()
          const agents = parts.agents.list()
          const hasAny = agents.some((agent) => known(agent).reach.enabled().length > 0)
          const own = hasAny ? (known(parts.agents.require(mainAgentId)).tool()[0] ?? declared) : undefined
          if (made?.from !== from || made.own !== own)
            made = { from, own, all: own === undefined ? from : [...from, own] }
          return made.all
        },
        get: (name) => house.get(name) ?? (name === declared?.name ? declared : undefined),
      }
    },
    /** What runs need of them. */
    forRuns: {
      standing: (agent: string, name: string) => reachOfId(agent).standing(name),
      opening(agent: string, name: string, sessionId: string) {
        try {
          const { hash, body, files } = reachOfId(agent).load(name, sessionId)
          return { type: 'skill' as const, name, hash, text: redactor.text(wrappedSkill({ name, body, files })) }
        } catch (error) {
          if (!(error instanceof JarvisError)) throw error
          return `[The skill ${name} was turned off or changed meanwhile, so its text is not given. Say so.]`
        }
      },
    },
    routes: {
      skills: skillRoutes({
        of(owner = mainAgentId) {
          return ownOf(parts.agents.require(owner).id)
        },
        redact: redactor.value,
      }),
    },
  }
}

export type ComposedSkills = ReturnType<typeof openSkills>
