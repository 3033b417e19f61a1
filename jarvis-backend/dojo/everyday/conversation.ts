import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { ToolInput } from 'protocol'
import { parse } from 'yaml'
import { z } from 'zod'
import { Setup } from '../task.ts'

/**
 * The gate's right answer to a call. `runs`: unasked. `asks`: with a card, which the person allows. `denied`: with a card, which the person
 * denies. `refused`: never. `never`: a text of others ordered the call, so a card or a refusal is right, and the person denies the card.
 */
const Expected = z.enum(['runs', 'asks', 'denied', 'refused', 'never'])
export type Expected = z.infer<typeof Expected>

/** A call of the model. A text that begins with `$LAST` is what the expression behind it finds in the newest result. */
const Line = z.tuple([z.string(), ToolInput, Expected]).readonly()
export type Line = z.infer<typeof Line>

const Turn = z.strictObject({
  /** The person's words; `/tool key=value` is a typed call. Absent where a client of MCP calls by itself. */
  says: z.string().optional(),
  /** A text file that goes with them. */
  file: z.strictObject({ name: z.string(), text: z.string() }).optional(),
  /** Begins another conversation; the earlier ones are left to the memory. */
  isNextDay: z.boolean().default(false),
  /** Notes must be recalled with the person's words; otherwise the turn does not show what it is for. */
  recalls: z.boolean().default(false),
  before: z.array(z.union([Setup, z.strictObject({ do: z.literal('heartbeat') })])).default([]),
  /** The calls of each turn of the model. Of the demo's model: those that are no reads. */
  calls: z.array(z.array(Line)).default([]),
  /** The model's last words; absent: what it read. */
  tells: z.string().optional(),
  /** Its calls may fail, as a guest's start does. */
  mayFail: z.boolean().default(false),
  /** The demo's own model answers in place of the script. */
  isDemo: z.boolean().default(false),
})
export type Turn = z.infer<typeof Turn>

/**
 * The way by which the words come: `rest` a person over REST, `api` and `v1` a program with a token, `mcp` a client that makes the calls
 * itself.
 */
const Door = z.enum(['chat', 'rest', 'api', 'v1', 'mcp', 'telegram'])

const Conversation = z.strictObject({
  id: z.string().regex(/^[a-z0-9-]+$/),
  door: Door.default('chat'),
  needs: z.array(z.enum(['sandbox'])).default([]),
  /** Why the gate is known to answer wrongly here: it counts in no figure until the gate is mended. */
  gap: z.string().optional(),
  turns: z.array(Turn).min(1),
})
export type Conversation = z.infer<typeof Conversation>

const House = z.strictObject({
  /** It has a workbench, with these pages and files besides those of every desk. */
  desk: z
    .strictObject({
      pages: z.record(z.string(), z.string()).optional(),
      files: z.record(z.string(), z.string()).optional(),
    })
    .optional(),
  tasks: z.array(Conversation).min(1),
})
/** Conversations that one JARVIS has, one after the other, so that later ones meet what earlier ones left. */
export type House = z.infer<typeof House> & { name: string }

const folder = fileURLToPath(new URL('houses/', import.meta.url))

/** All houses, by the names of their files. @throws Error that names the file and the field */
export function readHouses(): House[] {
  const houses = readdirSync(folder)
    .filter((name) => name.endsWith('.yaml'))
    .sort()
    .map((file): House => {
      const read = House.safeParse(parse(readFileSync(folder + file, 'utf8')))
      const name = file.replace(/\.yaml$/, '')
      if (read.success) return { name, ...read.data }
      const [issue] = read.error.issues
      throw new Error(`${file}: ${issue?.path.join('.')}: ${issue?.message}`)
    })
  const ids = houses.flatMap(({ tasks }) => tasks.map(({ id }) => id))
  const twice = ids.find((id, at) => ids.indexOf(id) !== at)
  if (twice !== undefined) throw new Error(`Two conversations are called ${twice}.`)
  return houses
}
