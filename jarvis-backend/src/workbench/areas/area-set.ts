import { type AreaName, areaNames, type WorkbenchArea } from 'protocol'
import { Mistake, type WorkbenchPolicy } from '../../gate/index.ts'
import type { Route } from '../../http/route.ts'
import type { Tool } from '../../tools/tool.ts'
import { offReason, areas as words } from '../area-words.ts'
import type { Area } from './area.ts'

/** The areas of the workbench. An owner can turn each one on and off. */
export class AreaSet {
  readonly #areas: readonly Area[]
  /** The areas in the order in which people see them. */
  readonly #shown: readonly Area[]
  readonly #policy: () => WorkbenchPolicy

  /** @param areas in the order in which their tools are offered to models */
  constructor(areas: readonly Area[], policy: () => WorkbenchPolicy) {
    this.#areas = areas
    this.#shown = areas.toSorted((one, other) => areaNames.indexOf(one.name) - areaNames.indexOf(other.name))
    this.#policy = policy
  }

  /** All tools. The tools of an area are offered while the area is on. While it is off, calls of them are refused. */
  tools(): Tool[] {
    return this.#areas.flatMap((area) => this.#switched(area))
  }

  /** The REST routes of all areas. */
  routes(): Route[] {
    return this.#areas.flatMap(({ routes }) => routes ?? [])
  }

  /** The areas in the form that people see. */
  shown(): WorkbenchArea[] {
    return this.#shown.map((area) => ({
      name: area.name,
      isOn: isOn(area, this.#policy()),
      allows: words[area.name].allows,
      key: words[area.name].key,
      missing: [...area.missing()],
      facts: [...(area.facts?.() ?? [])],
      tools: area.tools.map(({ name }) => name),
    }))
  }

  /** The names of the areas that a policy turns on. */
  namesOn(policy: WorkbenchPolicy): AreaName[] {
    return this.#shown.filter((area) => isOn(area, policy)).map(({ name }) => name)
  }

  /** Tests each area, so that `shown` tells what this machine lacks. */
  async look(): Promise<void> {
    await Promise.all(this.#areas.map((area) => area.look?.()))
  }

  start(): void {
    for (const area of this.#areas) area.start?.()
  }

  async stop(): Promise<void> {
    for (const area of this.#areas) await area.stop?.()
  }

  /** Removes all that belongs to a session that was deleted. */
  forget(sessionId: string): void {
    for (const area of this.#areas) area.forget?.(sessionId)
  }

  #switched(area: Area): Tool[] {
    const group = { name: `workbench ${area.name}`, isServed: () => isOn(area, this.#policy()) }
    return area.tools.map((tool) => ({
      ...tool,
      group,
      effects(input, world) {
        if (!isOn(area, world.policy.workbench)) throw new Mistake(offReason(area.name))
        return tool.effects(input, world)
      },
    }))
  }
}

const isOn = ({ name, isOnByItself }: Area, policy: WorkbenchPolicy): boolean =>
  words[name].isOn(policy) ?? isOnByItself?.() ?? false
