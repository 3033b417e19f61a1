import { createGuest } from '../../src/tools/guests/create-guest.ts'
import { homelabTools } from '../../src/tools/homelab/index.ts'
import type { Declaration } from '../../src/tools/tool.ts'
import type { CallOf } from './scripted-model.ts'

/** The examples of some tools, as calls. */
export const examplesOf = (tools: readonly Pick<Declaration, 'name' | 'example'>[]): CallOf[] =>
  tools.flatMap(({ name, example }) => (example === undefined ? [] : [[name, example]]))

/** Tools that are refused unless the policy names them. */
export const optIn = homelabTools.filter(({ isOptIn }) => isOptIn).map(({ name }) => name)

/** Nodes go down last, and no call is about a thing that an earlier call destroyed. */
function rankOf({ touches }: Pick<Declaration, 'touches'>): number {
  const onNode = touches.find(({ kind, on }) => kind === 'power' && on === 'node')
  if (onNode !== undefined) return onNode.action === 'start' ? 3 : 2
  return touches.some(({ kind }) => kind === 'destroy') ? 1 : 0
}

/** The example of each tool over the homelab, in an order in which all succeed. */
export const usual: readonly CallOf[] = examplesOf(homelabTools.toSorted((a, b) => rankOf(a) - rankOf(b)))

/** The guest that the usual call of `create_guest` makes. */
export const made = createGuest.example as { newId: number; name: string }
