import { z } from 'zod'

/** The areas of the workbench; each is switched on by its own key of the section `workbench` of policy.yaml. */
export const areaNames = ['files', 'exec', 'web', 'browser', 'git', 'docker'] as const
export const AreaName = z.enum(areaNames)
export type AreaName = z.infer<typeof AreaName>

/** One file that a call changes. */
export const FileDiff = z.object({
  /** `ROOT/PATH`. */
  path: z.string(),
  change: z.enum(['added', 'changed', 'deleted', 'mode']),
  /** SHA-256 of the bytes before and after, hex; absent where there is no file. */
  old: z.string().exactOptional(),
  new: z.string().exactOptional(),
  /** Octal, where it changes: `644 → 755`. */
  mode: z.string().exactOptional(),
  /** Lines that come and go. */
  added: z.int().nonnegative(),
  removed: z.int().nonnegative(),
  /** Lines of a unified diff, each with ` `, `+`, `-` or `@` before it. Empty where the bytes are no text. */
  lines: z.array(z.string()),
  /** How many lines are left out of `lines`; `GET /api/workbench/diff/:toolUseId` has them. */
  left: z.int().nonnegative(),
  /** Why no lines are shown: `It is no text: 4.2 kB become 4.4 kB.` */
  note: z.string().exactOptional(),
})
export type FileDiff = z.infer<typeof FileDiff>

/** Something that an area needs and this machine lacks. `remedy`: what to do, for people. */
export const Missing = z.object({ what: z.string(), remedy: z.string() })
export type Missing = z.infer<typeof Missing>

/** One area as the page, `doctor` and the command show it. `key`: the lines of policy.yaml that turn it on. */
export const WorkbenchArea = z.object({
  name: AreaName,
  isOn: z.boolean(),
  key: z.string(),
  missing: z.array(Missing),
  facts: z.array(z.string()),
  tools: z.array(z.string()),
})
export type WorkbenchArea = z.infer<typeof WorkbenchArea>

/** A folder that the workbench may read. `problem`: why it cannot be used now. */
export const WorkbenchRoot = z.object({
  name: z.string(),
  path: z.string(),
  write: z.boolean(),
  problem: z.string().exactOptional(),
})
export type WorkbenchRoot = z.infer<typeof WorkbenchRoot>

/** The whole diff of a card. */
export const DiffReply = z.object({ items: z.array(FileDiff) })
export type DiffReply = z.infer<typeof DiffReply>

export const WorkbenchReply = z.object({ areas: z.array(WorkbenchArea), roots: z.array(WorkbenchRoot) })
export type WorkbenchReply = z.infer<typeof WorkbenchReply>
