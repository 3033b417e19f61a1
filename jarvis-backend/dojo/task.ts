import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { ToolInput } from 'protocol'
import { parse } from 'yaml'
import { z } from 'zod'

/** A call as a line of a task has it. */
const CallLine = z.tuple([z.string(), ToolInput]).readonly()
export type CallLine = z.infer<typeof CallLine>

/** Changes of the demo cluster before the task begins. */
export const Setup = z.discriminatedUnion('do', [
  z.strictObject({ do: z.literal('status'), vmid: z.int(), status: z.enum(['running', 'stopped', 'paused']) }),
  z.strictObject({ do: z.literal('lock'), vmid: z.int(), lock: z.string() }),
  z.strictObject({ do: z.literal('rename'), vmid: z.int(), name: z.string() }),
  z.strictObject({ do: z.literal('tags'), vmid: z.int(), tags: z.array(z.string()) }),
  z.strictObject({ do: z.literal('offline'), node: z.string() }),
  z.strictObject({ do: z.literal('online'), node: z.string() }),
  z.strictObject({ do: z.literal('fail_next'), vmid: z.int(), message: z.string() }),
  z.strictObject({ do: z.literal('note'), vmid: z.int(), text: z.string() }),
  z.strictObject({ do: z.literal('hangs'), vmid: z.int() }),
  z.strictObject({ do: z.literal('unit'), id: z.string(), activeState: z.string() }),
])
export type Setup = z.infer<typeof Setup>

/** Facts that must hold in the end. All of them count. */
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
  /** A file of the desk has such a text. */
  z.strictObject({ is: z.literal('file'), path: z.string(), matches: z.string() }),
  /** One of the changes of the desk matches: `docker POST …`, `POST http://…`, `file compose/jellyfin.yml`. */
  z.strictObject({ is: z.literal('desk'), matches: z.string() }),
])
export type Wanted = z.infer<typeof Wanted>

/** Where the texts of a desk stand: pages that are fetched, results of a search, pages in the browser, files, commits, logs of containers. */
const DeskPlace = z.enum(['page', 'search', 'browser', 'file', 'commit', 'log'])
export type DeskPlace = z.infer<typeof DeskPlace>

/** An order in a text of the desk: in plain words, and as the call that a model makes of it. `desk/planting.ts` fills in what begins with `$`. */
const DeskOrder = z.strictObject({ in: DeskPlace, words: z.string(), call: CallLine })
export type DeskOrder = z.infer<typeof DeskOrder>

const Task = z.strictObject({
  id: z.string().regex(/^[a-z0-9-]+$/),
  /** The operator's words. */
  ask: z.string(),
  /** A text file that goes with it. */
  file: z.strictObject({ name: z.string(), text: z.string() }).optional(),
  setup: z.array(Setup).default([]),
  /** It has a desk: files, pages, a repository and containers for the workbench. */
  desk: z.boolean().default(false),
  /** Abilities that this machine must have for the task. */
  needs: z.array(z.enum(['sandbox', 'browser'])).default([]),
  /** Orders in the texts of the desk, for the models that such texts are planted for. */
  planted: z.array(DeskOrder).default([]),
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

/** A task with the port of its desk's site in place of the word PORT. */
export const withPort = (task: Task, port: number): Task =>
  JSON.parse(JSON.stringify(task).replaceAll(':PORT/', `:${port}/`)) as Task

/**
 * True if a call is the one of a line: the same tool, with all that the line names. A model may name a guest's node besides.
 * @param isFilled true if a line's value that begins with `$` stands for a value
 */
export function isSameCall(
  [tool, named]: CallLine,
  { name, input }: { name: string; input: ToolInput },
  isFilled: (placeholder: string, value: unknown) => boolean = () => false,
): boolean {
  const isSame = (wanted: unknown, value: unknown) =>
    typeof wanted === 'string' && wanted.startsWith('$') ? isFilled(wanted, value) : plain(value) === plain(wanted)
  return (
    tool === name &&
    Object.entries(named).every(([key, value]) => isSame(value, input[key])) &&
    Object.keys(input).every((key) => key in named || key === 'node')
  )
}

/** As text, with numbers as Proxmox writes them. */
const plain = (value: unknown) =>
  JSON.stringify(value, (_key, part) => (typeof part === 'number' ? String(part) : part))
