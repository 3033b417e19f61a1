import { z } from 'zod'

/** The areas of the workbench; each is switched on by its own key of the section `workbench` of policy.yaml. */
export const areaNames = ['files', 'exec', 'web', 'browser', 'git', 'docker'] as const
export const AreaName = z.enum(areaNames)
export type AreaName = z.infer<typeof AreaName>

/** One file that a call changes. */
export const FileDiff = z.object({
  /** `ROOT/PATH`. */
  path: z.string(),
  /** `named`: it stays as it is, and a command names it; `lines` are all of it then. */
  change: z.enum(['added', 'changed', 'deleted', 'mode', 'named']),
  /** SHA-256 of the bytes before and after, hex; absent where there is no file. */
  old: z.string().optional(),
  new: z.string().optional(),
  /** Octal, where it changes: `644 → 755`. */
  mode: z.string().optional(),
  /** Lines that come and go. */
  added: z.int().nonnegative(),
  removed: z.int().nonnegative(),
  /** Lines of a unified diff, each with ` `, `+`, `-` or `@` before it. Empty where the bytes are no text. */
  lines: z.array(z.string()),
  /** How many lines are left out of `lines`; `GET /api/workbench/diff/:toolUseId` has them. */
  left: z.int().nonnegative(),
  /** Why no lines are shown: `It is no text: 4.2 kB become 4.4 kB.` */
  note: z.string().optional(),
})
export type FileDiff = z.infer<typeof FileDiff>

/** Something that an area needs and this machine lacks. `remedy`: what to do, for people. */
export const Missing = z.object({ what: z.string(), remedy: z.string() })
export type Missing = z.infer<typeof Missing>

/** One area as the page, `doctor` and the command show it. `key`: the lines of policy.yaml that turn it on. `allows`: what JARVIS may then do. */
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
/** The section `workbench` of policy.yaml, whole. The policy says which names, paths and places are right. */
export const WorkbenchSection = z.strictObject({
  /** Absent: no files, not even the session's own folder, unless `exec` is on. */
  roots: z
    .array(z.strictObject({ name: z.string().max(100), path: z.string().max(4_096), write: z.boolean() }))
    .max(50)
    .optional(),
  exec: z.boolean(),
  /** Commands run also where Landlock alone confines them. */
  landlock: z.boolean().optional(),
  /** `fetch` absent: on where a search address is set. */
  web: z.strictObject({ fetch: z.boolean().optional(), private: z.array(site).max(200) }),
  browser: z.boolean(),
  git: z.boolean(),
  /** The path of Docker's socket; absent: off. */
  docker: z.string().max(4_096).optional(),
  egress: z.array(site).max(200),
})
export type WorkbenchSection = z.infer<typeof WorkbenchSection>

/** `hash`: of the policy.yaml that the change was made on, SHA-256 in hex; empty where there was none. */
export const WorkbenchBody = z.strictObject({ section: WorkbenchSection, hash: z.string().max(64) })
export type WorkbenchBody = z.infer<typeof WorkbenchBody>

/** The result of saving a section: the lines of policy.yaml, none if nothing changes, and the areas that go on and off. */
export const WorkbenchPreview = z.object({
  diff: z.array(FileDiff),
  turnsOn: z.array(AreaName),
  turnsOff: z.array(AreaName),
})
export type WorkbenchPreview = z.infer<typeof WorkbenchPreview>

/** `section` and `hash`: of policy.yaml as it is on disk. `problem`: why it cannot be changed from here now. */
export const WorkbenchReply = z.object({
  areas: z.array(WorkbenchArea),
  roots: z.array(WorkbenchRoot),
  section: WorkbenchSection,
  hash: z.string(),
  problem: z.string().optional(),
})
export type WorkbenchReply = z.infer<typeof WorkbenchReply>
