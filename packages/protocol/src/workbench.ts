import { z } from 'zod'

/** The areas of the workbench. A key in the section `workbench` of policy.yaml switches each on. */
export const areaNames = ['files', 'exec', 'web', 'browser', 'git', 'docker'] as const
export const AreaName = z.enum(areaNames)
export type AreaName = z.infer<typeof AreaName>

/** One file that a call changes. */
export const FileDiff = z.object({
  /** `ROOT/PATH`. */
  path: z.string(),
  /** `named`: the file is not changed, but a command names it; `lines` then holds the whole file. */
  change: z.enum(['added', 'changed', 'deleted', 'mode', 'named']),
  /** SHA-256 of the bytes before and after, hex; absent if the file does not exist then. */
  old: z.string().optional(),
  new: z.string().optional(),
  /** File mode in octal, if it changes: `644 → 755`. */
  mode: z.string().optional(),
  /** Numbers of added and removed lines. */
  added: z.int().nonnegative(),
  removed: z.int().nonnegative(),
  /** Lines of a unified diff, each with ` `, `+`, `-` or `@` before it. Empty if the bytes are not text. */
  lines: z.array(z.string()),
  /** Number of lines that are left out of `lines`; `GET /api/workbench/diff/:toolUseId` has them. */
  left: z.int().nonnegative(),
  /** Why no lines are shown: `It is no text: 4.2 kB become 4.4 kB.` */
  note: z.string().optional(),
})
export type FileDiff = z.infer<typeof FileDiff>

/** A requirement of an area that this machine lacks. `remedy`: what to do, for people. */
export const Missing = z.object({ what: z.string(), remedy: z.string() })
export type Missing = z.infer<typeof Missing>

/**
 * An area as the page, `doctor` and the command show it. `key`: the lines of policy.yaml that turn it on. `allows`: what JARVIS may do if it is on.
 */
export const WorkbenchArea = z.object({
  name: AreaName,
  isOn: z.boolean(),
  allows: z.string(),
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
  problem: z.string().optional(),
})
export type WorkbenchRoot = z.infer<typeof WorkbenchRoot>

/** The whole diff of a card. */
export const DiffReply = z.object({ items: z.array(FileDiff) })
export type DiffReply = z.infer<typeof DiffReply>

const site = z.string().max(300)
/** The whole section `workbench` of policy.yaml. The policy checks names, paths and places. */
export const WorkbenchSection = z.strictObject({
  /** Folders that JARVIS may use; absent: no files, not even the session's own folder, unless `exec` is on. */
  roots: z
    .array(z.strictObject({ name: z.string().max(100), path: z.string().max(4_096), write: z.boolean() }))
    .max(50)
    .optional(),
  exec: z.boolean(),
  /** Commands may also run if only Landlock confines them. */
  landlock: z.boolean().optional(),
  /** `fetch` absent: on if a search address is set. */
  web: z.strictObject({ fetch: z.boolean().optional(), private: z.array(site).max(200) }),
  browser: z.boolean(),
  git: z.boolean(),
  /** The path of Docker's socket; absent: off. */
  docker: z.string().max(4_096).optional(),
  egress: z.array(site).max(200),
})
export type WorkbenchSection = z.infer<typeof WorkbenchSection>

/** `hash`: SHA-256 in hex of the policy.yaml on which the change was made; empty if there was none. */
export const WorkbenchBody = z.strictObject({ section: WorkbenchSection, hash: z.string().max(64) })
export type WorkbenchBody = z.infer<typeof WorkbenchBody>

/** The result of saving a section: the changed lines of policy.yaml, none if nothing changes, and the areas that are turned on and off. */
export const WorkbenchPreview = z.object({
  diff: z.array(FileDiff),
  turnsOn: z.array(AreaName),
  turnsOff: z.array(AreaName),
})
export type WorkbenchPreview = z.infer<typeof WorkbenchPreview>

/** `section`, `hash`: the section and the hash of the policy.yaml on disk. `problem`: why it cannot be changed from here now. */
export const WorkbenchReply = z.object({
  areas: z.array(WorkbenchArea),
  roots: z.array(WorkbenchRoot),
  section: WorkbenchSection,
  hash: z.string(),
  problem: z.string().optional(),
})
export type WorkbenchReply = z.infer<typeof WorkbenchReply>
