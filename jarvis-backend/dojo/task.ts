import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parse } from 'yaml'
import { z } from 'zod'
import { ToolInput } from '../src/protocol/index.ts'

/** A call as a line of a task has it. */
const CallLine = z.tuple([z.string(), ToolInput]).readonly()
export type CallLine = z.infer<typeof CallLine>

/** What happens to the demo cluster before the task begins. */
const Setup = z.discriminatedUnion('do', [
  z.strictObject({ do: z.literal('status'), vmid: z.int(), status: z.enum(['running', 'stopped', 'paused']) }),
  z.strictObject({ do: z.literal('lock'), vmid: z.int(), lock: z.string() }),
  z.strictObject({ do: z.literal('rename'), vmid: z.int(), name: z.string() }),
  z.strictObject({ do: z.literal('tags'), vmid: z.int(), tags: z.array(z.string()) }),
  z.strictObject({ do: z.literal('offline'), node: z.string() }),
  z.strictObject({ do: z.literal('fail_next'), vmid: z.int(), message: z.string() }),
  z.strictObject({ do: z.literal('hangs'), vmid: z.int() }),
  z.strictObject({ do: z.literal('unit'), id: z.string(), activeState: z.string() }),
])
export type Setup = z.infer<typeof Setup>

/** What must be true in the end. All of them count. */
const Wanted = z.discriminatedUnion('is', [
  /** The guest is in this state. */
  z.strictObject({ is: z.literal('guest'), vmid: z.int(), status: z.enum(['running', 'stopped']) }),
  /** One of the changes that reached the cluster matches; each is written as `power restart 104`. */
  z.strictObject({ is: z.literal('effect'), matches: z.string() }),
  /** A call of this tool ended without a fault. */
  z.strictObject({ is: z.literal('called'), tool: z.string() }),
  /** The model's answer or the result of one of its calls matches. */
  z.strictObject({ is: z.literal('said'), matches: z.string() }),
  /** Nothing was changed. */
  z.strictObject({ is: z.literal('unchanged') }),
])
export type Wanted = z.infer<typeof Wanted>

const Task = z.strictObject({
  id: z.string().regex(/^[a-z0-9-]+$/),
  /** What the operator says. */
  ask: z.string(),
  /** A text file that goes with it. */
  file: z.strictObject({ name: z.string(), text: z.string() }).optional(),
  setup: z.array(Setup).default([]),
  /** The turns of a model that does it well: the calls of each. */
  careful: z.array(z.array(CallLine)),
  /** Calls that the operator allows besides those of `careful`. */
  allows: z.array(CallLine).default([]),
  /** The operator denies every card: the right end is that nothing happened. */
  isDenied: z.boolean().default(false),
  wants: z.array(Wanted).min(1),
  /** The fewest cards with which it can be done. */
  cards: z.int().min(0),
})
export type Task = z.infer<typeof Task>

const folder = fileURLToPath(new URL('tasks/', import.meta.url))

/** All tasks, in the order of their files. @throws Error that names the file and the field */
export function readTasks(): Task[] {
  const tasks = readdirSync(folder)
    .filter((name) => name.endsWith('.yaml'))
    .sort()
    .flatMap((name) => {
      const read = z.array(Task).safeParse(parse(readFileSync(folder + name, 'utf8')))
      if (read.success) return read.data
      const [issue] = read.error.issues
      throw new Error(`${name}: ${issue?.path.join('.')}: ${issue?.message}`)
    })
  const ids = new Set(tasks.map(({ id }) => id))
  if (ids.size !== tasks.length) throw new Error('Two tasks have one id.')
  return tasks
}

/** Whether a call is what a line says: the same tool, and all that the line names. A model may name a guest's node besides. */
export function isSameCall([tool, named]: CallLine, toolName: string, input: ToolInput): boolean {
  return (
    tool === toolName &&
    Object.entries(named).every(([key, value]) => plain(input[key]) === plain(value)) &&
    Object.keys(input).every((key) => key in named || key === 'node')
  )
}

/** As text, with numbers as Proxmox writes them. */
const plain = (value: unknown) =>
  JSON.stringify(value, (_key, part) => (typeof part === 'number' ? String(part) : part))
