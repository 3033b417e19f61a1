import { z } from 'zod'

/** A fault of a skill, which keeps it from being approved. `path`: of a file in its folder. `line`: from 1. */
export const SkillFault = z.object({
  path: z.string().optional(),
  line: z.int().optional(),
  message: z.string(),
})
export type SkillFault = z.infer<typeof SkillFault>

/** A line that a person must read with care before approving: it tells the reader to download, paste or run something, or hides text in a code. */
export const SkillHint = z.object({
  path: z.string(),
  line: z.int(),
  kind: z.enum(['download', 'paste', 'run', 'encoded', 'unasked']),
  message: z.string(),
})
export type SkillHint = z.infer<typeof SkillHint>

/**
 * `approved`: an operator approved exactly this tree, and models may use it. `changed`: another tree was approved. `off`: an operator turned
 * it off. `new`: nobody has approved it. `faulty`: it cannot be approved, see `faults`.
 */
export const SkillState = z.enum(['approved', 'changed', 'off', 'new', 'faulty'])
export type SkillState = z.infer<typeof SkillState>

/** A skill of `workspace/skills`. `name`: of its folder. Only an `approved` one reaches a model. */
export const Skill = z.object({
  name: z.string(),
  state: SkillState,
  /** It came with JARVIS, and nobody changed it. */
  isShipped: z.boolean(),
  description: z.string(),
  license: z.string().optional(),
  compatibility: z.string().optional(),
  metadata: z.record(z.string(), z.string()),
  /** The tools that `allowed-tools` names. The list allows nothing. */
  wants: z.array(z.string()),
  /** Keys of the front matter that JARVIS does not read. */
  others: z.array(z.string()),
  faults: z.array(SkillFault),
  hints: z.array(SkillHint),
  /** SHA-256 over the names and bytes of all files, hex; null where the folder cannot be read as a whole. */
  hash: z.string().nullable(),
  fileCount: z.int(),
  bytes: z.int(),
  /** About how many tokens its line in the catalogue and its body cost. */
  tokens: z.object({ line: z.int(), body: z.int() }),
  /** Each prompt names the skill. `false` for an approved skill: the catalogue is full, and only `/NAME` and a search find it. */
  isInCatalogue: z.boolean(),
  /** The newest approval. `by`: an operator, or `JARVIS` for a shipped one. Unix ms. */
  approved: z.object({ hash: z.string(), at: z.int(), by: z.string() }).optional(),
  /** The person who turned the skill off, and when, Unix ms. */
  off: z.object({ at: z.int(), by: z.string() }).optional(),
  lastUse: z.object({ at: z.int(), sessionId: z.string() }).optional(),
})
export type Skill = z.infer<typeof Skill>

/**
 * A file of a skill's folder. `change`: against the approved tree, `new` where nothing was approved. `text`: absent where the file is none, or
 * is gone. `before`: the approved text where it differs. Both hold invisible characters as they are: show them as codes.
 */
export const SkillFile = z.object({
  path: z.string(),
  kind: z.enum(['text', 'binary', 'link', 'other']),
  bytes: z.int(),
  hash: z.string(),
  change: z.enum(['same', 'changed', 'new', 'gone']),
  text: z.string().optional(),
  before: z.string().optional(),
})
export type SkillFile = z.infer<typeof SkillFile>

/** Reply of `GET /api/skills`. `catalogue`: its size and limit in tokens; `missing`: the approved skills that do not fit. */
export const SkillList = z.object({
  items: z.array(Skill),
  catalogue: z.object({ tokens: z.int(), most: z.int(), missing: z.array(z.string()) }),
  /** Folders that were not looked at, because there are too many. */
  problem: z.string().optional(),
})
export type SkillList = z.infer<typeof SkillList>

/** Reply of `GET /api/skills/NAME`. */
export const SkillTree = Skill.extend({ files: z.array(SkillFile) })
export type SkillTree = z.infer<typeof SkillTree>

/**
 * `POST /api/skills/NAME/approve`. `hash`: of the tree that was read; another one is refused with `conflict`. `agent`: whose own skill it is;
 * absent: it lies in the workspace.
 */
export const SkillApproval = z.strictObject({
  hash: z.string().regex(/^[0-9a-f]{64}$/),
  agent: z.string().max(100).optional(),
})
