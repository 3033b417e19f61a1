import { z } from 'zod'
import { isBase64 } from './attachment.ts'

/** A fault of a skill. A skill with a fault cannot be approved. `path`: the path of a file in its folder. `line`: the line, counted from 1. */
export const SkillFault = z.object({
  path: z.string().optional(),
  line: z.int().optional(),
  message: z.string(),
})
export type SkillFault = z.infer<typeof SkillFault>

/**
 * A line that a person must read with care before approving the skill: it tells the reader to download, paste or run something, or it hides encoded
 * text.
 */
export const SkillHint = z.object({
  path: z.string(),
  line: z.int(),
  kind: z.enum(['download', 'paste', 'run', 'encoded', 'unasked']),
  message: z.string(),
})
export type SkillHint = z.infer<typeof SkillHint>

/**
 * `approved`: an operator approved exactly these files, and models may use the skill. `changed`: the files differ from those that were approved.
 * `off`: an operator turned it off. `new`: nobody has approved it. `faulty`: it cannot be approved, see `faults`.
 */
export const SkillState = z.enum(['approved', 'changed', 'off', 'new', 'faulty'])
export type SkillState = z.infer<typeof SkillState>

/** A skill of `workspace/skills`. `name`: the name of its folder. Models get only skills in the state `approved`. */
export const Skill = z.object({
  name: z.string(),
  state: SkillState,
  /** The skill came with JARVIS and is unchanged. */
  isShipped: z.boolean(),
  description: z.string(),
  license: z.string().optional(),
  compatibility: z.string().optional(),
  metadata: z.record(z.string(), z.string()),
  /** The tools that the key `allowed-tools` names. The list gives no permission. */
  wants: z.array(z.string()),
  /** Keys of the front matter that JARVIS does not read. */
  others: z.array(z.string()),
  faults: z.array(SkillFault),
  hints: z.array(SkillHint),
  /** SHA-256 over the names and bytes of all files, hex; null: the folder cannot be read completely. */
  hash: z.string().nullable(),
  fileCount: z.int(),
  bytes: z.int(),
  /** Estimated tokens of the skill's line in the catalogue, and of its body. */
  tokens: z.object({ line: z.int(), body: z.int() }),
  /**
   * True: each prompt names the skill. False for an approved skill: the catalogue is full, and a model finds the skill only by `/NAME` or a search.
   */
  isInCatalogue: z.boolean(),
  /** The newest approval. `by`: an operator, or `JARVIS` for a skill that came with it. `at`: Unix ms. */
  approved: z.object({ hash: z.string(), at: z.int(), by: z.string() }).optional(),
  /** The person who turned the skill off, and when, Unix ms. */
  off: z.object({ at: z.int(), by: z.string() }).optional(),
  lastUse: z.object({ at: z.int(), sessionId: z.string() }).optional(),
})
export type Skill = z.infer<typeof Skill>

/**
 * A file of a skill's folder. `change`: compared with the approved files; `new` if nothing was approved. `text`: absent if the file is not text or
 * no longer exists. `before`: the approved text if it differs. Both may contain invisible characters: display those as codes.
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

/** Reply of `GET /api/skills`. `catalogue`: its size and limit in tokens. `missing`: approved skills for which the catalogue has no room. */
export const SkillList = z.object({
  items: z.array(Skill),
  catalogue: z.object({ tokens: z.int(), most: z.int(), missing: z.array(z.string()) }),
  /** Reports folders that were not read, because there are too many. */
  problem: z.string().optional(),
})
export type SkillList = z.infer<typeof SkillList>

/** Reply of `GET /api/skills/NAME`. */
export const SkillTree = Skill.extend({ files: z.array(SkillFile) })
export type SkillTree = z.infer<typeof SkillTree>

/**
 * `POST /api/skills/NAME/approve`. `hash`: the hash of the files that the person read; if the files have changed, the request is refused with
 * `conflict`. `agent`: the agent in whose folder the skill lies; absent: it lies in the workspace.
 */
export const SkillApproval = z.strictObject({
  hash: z.string().regex(/^[0-9a-f]{64}$/),
  agent: z.string().max(100).optional(),
})

/** A path within a skill's folder: at most 8 names, none of which is `.` or `..`. */
const SkillPath = z
  .string()
  .min(1)
  .max(400)
  .refine((path) => {
    const names = path.split('/')
    return names.length <= 8 && names.every((name) => !['', '.', '..'].includes(name)) && !/[\p{Cc}\\]/u.test(path)
  }, 'must be a path within the folder, as references/sensors.md')

/**
 * `POST /api/skills`: the files of a skill's folder, in base64. The folder gets the name that SKILL.md gives. `agent`: the agent in whose folder the
 * skill is put; absent: the workspace.
 */
export const SkillUpload = z.strictObject({
  files: z
    .array(
      z.strictObject({
        path: SkillPath,
        data: z.string().refine((data) => data === '' || isBase64(data), 'is not base64'),
      }),
    )
    .min(1)
    .max(500)
    .refine((files) => {
      const paths = new Set(files.map(({ path }) => path))
      const isFolder = (path: string) => files.some((other) => other.path.startsWith(`${path}/`))
      return paths.size === files.length && ![...paths].some(isFolder)
    }, 'must name each file once'),
  agent: z.string().max(100).optional(),
})
