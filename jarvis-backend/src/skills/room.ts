import { join } from 'node:path'
import { JarvisError, mainAgentId } from 'protocol'
import { type Agent, type Agents, agentIdOf, fits, isOffered } from '../agents/agent.ts'
import { agentDir } from '../agents/agent-dir.ts'
import type { Foundation } from '../foundation.ts'
import { defineRoom } from '../house.ts'
import { skillRoutes } from '../http/skills.ts'
import { type OnceATick, onceATick } from '../lib/once-a-tick.ts'
import { onceFor } from '../lib/once-for.ts'
import { SqliteSkillStore } from '../store/sqlite/skills.ts'
import type { Catalog } from '../tools/catalog.ts'
import { useSkill, wrappedSkill } from '../tools/skills/use-skill.ts'
import { type Tool, withPorts } from '../tools/tool.ts'
import { type Folders, SkillFolders, type WholeFile } from './folders.ts'
import { SkillLibrary, type Skills } from './library.ts'
import { LibraryReach, noReach, type Reach } from './reach.ts'
import { isCommand } from './reserved.ts'
import { shippedSkills } from './shipped/index.ts'
import { Trees } from './tree.ts'

const nothing: ReadonlyMap<string, string> = new Map()

/** The room of the workspace’s and the agents’ skills: their approvals, the tool that loads them, their catalogues in prompts, and their routes. */
export const skillsRoom = defineRoom({
  name: 'skills',
  open(needs: { foundation: Foundation; catalog: Catalog; agents: Agents }) {
    const skills = new AgentSkills(needs.foundation, needs)
    const routes = skillRoutes({ of: (owner) => skills.ofAgent(owner), redact: needs.foundation.redactor.value })
    return { skills, contributes: { routes }, resume: () => skills.ship() }
  },
})

export type ComposedSkills = AgentSkills

/** The skills that an agent may use, and the tool whose schema lists their names. */
type Known = { of: Agent; reach: Reach; tool: () => readonly Tool[] }

/** Manages the skills of all agents. */
class AgentSkills {
  readonly #foundation: Foundation
  readonly #catalog: Catalog
  readonly #agents: Agents
  readonly #libraries = new Map<string, Skills>()
  readonly #reaches = new Map<string, Known>()
  readonly #ports = {
    of: (asker: Parameters<typeof agentIdOf>[0] | undefined) => this.#reachOf(agentIdOf(asker ?? {})),
  }
  /** The tool without names of skills, for all callers that are not an agent’s own chat. */
  readonly #declared: Tool | undefined

  constructor(foundation: Foundation, parts: { catalog: Catalog; agents: Agents }) {
    this.#foundation = foundation
    this.#catalog = parts.catalog
    this.#agents = parts.agents
    ;[this.#declared] = withPorts([useSkill([])], this.#ports)
  }

  /** Writes the shipped skills that were never written to this installation before. */
  ship(): void {
    this.#libraryOf(mainAgentId).ship()
  }

  /** Returns the skills in an agent’s own folder; the folder of `main` is in the workspace. @throws JarvisError `unknown_agent` */
  ofAgent(owner: string = mainAgentId): Skills {
    return this.#libraryOf(this.#agents.require(owner).id)
  }

  /** The text about skills in an agent's prompt; empty for an agent that may not use the tool for them. */
  textFor(agent: Agent): string {
    const tool = this.toolFor(agent)
    if (tool !== undefined && !isOffered(agent, tool)) return ''
    return this.#known(agent).reach.catalogue().text
  }

  /** Returns the tool for an agent’s models; undefined if the agent has no skill. */
  toolFor(agent: Agent): Tool | undefined {
    const { reach, tool } = this.#known(agent)
    return reach.enabled().length === 0 ? undefined : tool()[0]
  }

  /**
   * Returns a catalog with the tool added at its end. The list contains the version of the tool for `main`; other agents’ models get their own
   * version.
   */
  withTool(house: Catalog): Catalog {
    let made: { from: readonly Tool[]; own: Tool | undefined; all: readonly Tool[] } | undefined
    return {
      list: () => {
        const from = house.list()
        const own = this.#listed()
        if (made?.from !== from || made.own !== own)
          made = { from, own, all: own === undefined ? from : [...from, own] }
        return made.all
      },
      get: (name) => house.get(name) ?? (name === this.#declared?.name ? this.#declared : undefined),
    }
  }

  /** Returns the state of an agent’s skill `/name`. `problem`: the reason why it cannot be used. Undefined: no skill has this name. */
  standing(agent: string, name: string): { problem?: string } | undefined {
    return this.#reachOf(agent).standing(name)
  }

  /** Returns a skill’s text for a message of this session; a sentence for the model if the skill can no longer be used. */
  opening(agent: string, name: string, sessionId: string) {
    try {
      const { hash, body, files } = this.#reachOf(agent).load(name, sessionId)
      const text = this.#foundation.redactor.text(wrappedSkill({ name, body, files }))
      return { type: 'skill' as const, name, hash, text }
    } catch (error) {
      if (!(error instanceof JarvisError)) throw error
      return `[The skill ${name} was turned off or changed meanwhile, so its text is not given. Say so.]`
    }
  }

  /** The tool for the list of all tools; undefined if no agent has a skill. */
  #listed(): Tool | undefined {
    const hasAny = this.#agents.list().some((agent) => this.#known(agent).reach.enabled().length > 0)
    if (!hasAny) return undefined
    return this.#known(this.#agents.require(mainAgentId)).tool()[0] ?? this.#declared
  }

  #reachOf(id: string): Reach {
    const agent = this.#agents.find(id)
    return agent === undefined ? noReach : this.#known(agent).reach
  }

  #known(agent: Agent): Known {
    const before = this.#reaches.get(agent.id)
    if (before?.of === agent) return before
    const shared = {
      skills: this.#libraryOf(mainAgentId),
      mayUse: (name: string) => agent.skills?.some((one) => fits(one, name)) ?? true,
    }
    const isMain = agent.id === mainAgentId
    const own = { skills: this.#libraryOf(agent.id), mayUse: () => true }
    const reach = new LibraryReach(isMain ? [shared] : [own, shared])
    // The tool’s schema lists the enabled skills, unless the catalogue has no room for some of them.
    const tool = onceFor(
      () => reach.catalogue(),
      ({ named, missing }) => withPorts([useSkill(missing.length === 0 ? named : [])], this.#ports),
    )
    const made = { of: agent, reach, tool }
    this.#reaches.set(agent.id, made)
    return made
  }

  #libraryOf(owner: string): Skills {
    const known = this.#libraries.get(owner) ?? this.#newLibrary(owner)
    this.#libraries.set(owner, known)
    return known
  }

  #newLibrary(owner: string): Skills {
    const { dataDir, database, settings, journal, activity, now } = this.#foundation
    const folders = new SkillFolders({
      dir: join(agentDir(dataDir, owner), 'skills'),
      trees: new Trees(),
      reserved: (name) =>
        isCommand(name) || this.#catalog.get(name) !== undefined
          ? `/${name} is a command of JARVIS: give the skill another name.`
          : undefined,
    })
    return new SkillLibrary({
      folders: new FoldersOnceATick(folders),
      store: new SqliteSkillStore(database, owner),
      shipped: owner === mainAgentId ? shippedSkills : nothing,
      settings,
      durably: database.durably,
      record: (change) => void journal.append('skill', { ...change, ...(owner !== mainAgentId && { agent: owner }) }),
      changed: () => activity.changed({ what: 'skills' }),
      now,
    })
  }
}

/**
 * Reads all folders at most once in a turn of the event loop. One turn of a model asks for the skills several times, and reading each folder each
 * time took a third of its CPU time.
 */
class FoldersOnceATick implements Folders {
  readonly #folders: Folders
  readonly #all: OnceATick<ReturnType<Folders['all']>>

  constructor(folders: Folders) {
    this.#folders = folders
    this.#all = onceATick(() => folders.all())
  }

  names(): ReturnType<Folders['names']> {
    return this.#folders.names()
  }

  see(name: string, isAnew?: boolean): ReturnType<Folders['see']> {
    return this.#folders.see(name, isAnew)
  }

  all(): ReturnType<Folders['all']> {
    return this.#all.get()
  }

  add(name: string, files: readonly WholeFile[]): boolean {
    this.#all.forget()
    return this.#folders.add(name, files)
  }

  remove(name: string): void {
    this.#all.forget()
    this.#folders.remove(name)
  }
}
