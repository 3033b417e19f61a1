import type { Target } from 'protocol'
import { type Effect, effectsOf, Mistake, type World } from '../../src/gate/index.ts'
import { houseTools } from '../../src/tools/house.ts'

export type Resolved = { ok: true; effects: readonly Effect[]; target: Target } | { ok: false; message: string }

/** Effects of a call of one of the house's tools in a made-up world, or the mistake in it. */
export function resolve(toolName: string, input: Record<string, unknown>, world: World): Resolved {
  const tool = houseTools.find(({ name }) => name === toolName)
  if (tool === undefined) throw new Error(`There is no tool ${toolName}.`)
  try {
    const effects = effectsOf(tool, input, world)
    return { ok: true, effects, target: effects[0]?.target ?? { kind: 'none', id: '' } }
  } catch (error) {
    if (error instanceof Mistake) return { ok: false, message: error.message }
    throw error
  }
}

export const touchesOf = (toolName: string) => houseTools.find(({ name }) => name === toolName)?.touches ?? []
