import { z } from 'zod'
/** Files of the workspace that are part of every prompt. */
export const promptFiles: readonly string[] = ['AGENTS.md', 'SOUL.md', 'IDENTITY.md', 'USER.md', 'TOOLS.md']

/** Where remembered text comes from. JARVIS writes `session` and `journal`; files are the operator's. */
export const MemorySourceKind = z.enum(['file', 'session', 'journal'])
export type MemorySourceKind = z.infer<typeof MemorySourceKind>

/** A passage in the index. `isFromTools`: written by others, so it is treated as data. Times in Unix ms. */
export const MemoryPassage = z.object({
  id: z.number(),
  kind: MemorySourceKind,
  /** A file's path in the workspace, a session's id, `journal/2026-01-31`. */
  name: z.string(),
  title: z.string(),
  firstLine: z.number(),
  lastLine: z.number(),
  heading: z.string(),
  text: z.string(),
  changedAt: z.number(),
  isFromTools: z.boolean(),
})
export type MemoryPassage = z.infer<typeof MemoryPassage>

/** A passage that a search found. Ranks are positions in the two result lists, from 1; absent if the passage is not in the list. */
export const MemoryHit = MemoryPassage.extend({
  score: z.number(),
  vectorRank: z.number().optional(),
  keywordRank: z.number().optional(),
  /** How many nearly identical passages were left out. */
  folded: z.number(),
})
export type MemoryHit = z.infer<typeof MemoryHit>
export const MemoryFound = z.object({
  hits: z.array(MemoryHit),
  byKeywordsAlone: z.boolean(),
  /** How many passages of conversations were searched by words only, because their embeddings are not made yet. Absent: none. */
  waiting: z.number().optional(),
  /** Synonyms that the search added to the query. */
  others: z.array(z.string()),
  /** Words of the query that were ignored, such as `the`, because the other words are more distinctive. */
  ignored: z.array(z.string()),
})
export type MemoryFound = z.infer<typeof MemoryFound>

/** `GET /api/memory/status`. */
export const MemoryStatus = z.object({
  /** `loading`: the index is read into memory; searches are served from disk meanwhile. */
  state: z.enum(['loading', 'indexing', 'ready']),
  /** Progress of loading or indexing, 0..1. Absent while idle. */
  share: z.number().optional(),
  sources: z.number(),
  chunks: z.number(),
  /** Chunks that have an embedding once the model in use has processed them. Other chunks are found by words only. */
  embeddable: z.number(),
  /** Number of chunks that have an embedding of the model in use. */
  embedded: z.number(),
  /** Further chunks of conversations, which are embedded when somebody searches. Older servers leave it out. */
  waiting: z.number().optional(),
  model: z.string().or(z.undefined()).optional(),
  /** Why searches use keywords only, or which texts could not be indexed; for a person. */
  problem: z.string().or(z.undefined()).optional(),
  /** Files that are not indexed, or only in part, and why. */
  problems: z.array(z.object({ name: z.string(), problem: z.string() })),
  /** When and why the index was last rebuilt since the server's start. Unix ms. */
  remade: z.object({ at: z.number(), why: z.string() }).optional(),
})
export type MemoryStatus = z.infer<typeof MemoryStatus>

export const WorkspaceFile = z.object({ path: z.string(), bytes: z.number(), changedAt: z.number() })
export type WorkspaceFile = z.infer<typeof WorkspaceFile>
export const WorkspaceText = z.object({
  path: z.string(),
  text: z.string(),
  /** SHA-256 of the file on disk, hex. */
  checksum: z.string(),
  /** Unix ms. */
  changedAt: z.number(),
  /** Why `text` differs from the file: the file is too large, or not valid UTF-8. Absent if it does not differ. */
  problem: z.string().optional(),
})
export type WorkspaceText = z.infer<typeof WorkspaceText>
