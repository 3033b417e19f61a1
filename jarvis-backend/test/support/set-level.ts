import { z } from 'zod'
import { Mistake } from '../../src/gate/index.ts'
import { guestTarget } from '../../src/gate/targets.ts'
import { defineTool } from '../../src/tools/tool.ts'

/** A setting that a tool changes and takes back, as a cluster would keep it. `isAway`: it cannot be read. */
export type Level = { value: number; changes: number[]; isAway?: boolean; makesEarlier?: () => void }

/** A tool whose change is prepared, and taken back by itself. It asks. */
export const setLevel = (level: Level) =>
  defineTool({
    name: 'set_level',
    title: 'Set a level',
    description: 'Sets the level of a guest.',
    tier: 'red',
    timeoutMs: 10_000,
    input: z.strictObject({ vmid: z.int(), to: z.int(), expect: z.int().optional() }),
    touches: [{ kind: 'config', on: 'guest' }],
    effects: ({ vmid, to }, world) => [
      { kind: 'config', on: 'guest', target: guestTarget({ vmid }, world), sentence: `The level of ${vmid} is ${to}.` },
    ],
    async prepare({ vmid, to, expect }) {
      if (level.isAway) throw new Error('nobody answers')
      if (to > 100) throw new Mistake('to: the highest level is 100.')
      if (expect !== undefined && expect !== level.value)
        throw new Mistake(`The level is ${level.value} now, not ${expect}. Nothing was changed.`)
      return {
        now: `level ${level.value}`,
        then: `level ${level.value} → ${to}`,
        basis: { level: String(level.value) },
        undo: {
          kind: 'call',
          toolName: 'set_level',
          input: { vmid, to: level.value, expect: to },
          sentence: `The level goes back to ${level.value}.`,
        },
      }
    },
    ending: ({ vmid }) => ({ look: `Look at the level of ${vmid}.` }),
    async run({ to }) {
      level.value = to
      level.changes.push(to)
      return { text: `The level is ${to}.`, summary: `level ${to}` }
    },
  })
