import { z } from 'zod'
import { reads } from '../../src/gate/targets.ts'
import { toolOver } from '../../src/tools/tool.ts'

/** The parts that the tools over notes act through. */
export interface NotePorts {
  /** The notes of the operator, oldest first. */
  list(): readonly string[]
}

const noteTool = toolOver<NotePorts>()

const listNotes = noteTool({
  name: 'list_notes',
  title: 'List the notes',
  description: 'Lists the operator’s notes, oldest first.',
  tier: 'green',
  timeoutMs: 10_000,
  input: z.strictObject({}),
  example: {},
  touches: [{ kind: 'read', on: 'site' }],
  effects: (_input, world) => reads({}, world),
  async run(_input, _context, { list }) {
    const notes = list()
    return { text: notes.join('\n'), summary: `${notes.length} notes`, data: { notes } }
  },
})

/** The tools over notes. */
export const noteTools = [listNotes]
